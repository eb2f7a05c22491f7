// For experts: any promise, rules that others have published, and what is secret about a confidential column.

import { get } from "./api.js";
import { at, el, fill } from "./dom.js";
import { sorter } from "./groups.js";
import { safeHarbor } from "./harbor.js";
import { answerInto, experts, field, options } from "./parts.js";
import * as plans from "./plan.js";
import { change } from "./shell.js";
import { inPromise } from "./words.js";

export function expertsOf(models, presets) {
  const sensitive = plans.columnsOf("sensitive");
  return el(
    "div",
    {},
    experts("all-promises", "For experts: other promises", listed(), adding(models, sensitive)),
    experts("published", "For experts: published rules", rules(presets)),
    sensitive.length > 0 && experts("secrets", "For experts: which values are most secret", categories(sensitive)),
  );
}

function listed() {
  const all = plans.promises();
  const one = (text, place) => el(
    "li",
    {},
    el("code", {}, text),
    el(
      "button",
      {
        type: "button",
        class: "small",
        id: `remove-${place}`,
        disabled: all.length < 2,
        on: { click: () => change(() => ({ privacy: { promise: plans.promises().filter((other) => other !== text) } })) },
      },
      "Remove",
      el("span", { class: "hidden" }, ` ${text}`),
    ),
  );
  return el("div", {}, el("h3", {}, "All promises of the plan"), el("ul", { class: "promises" }, all.map(one)));
}

/** What a promise takes the place of: another about the size of groups, about several rows of a person, or items. */
function sortOf(text) {
  if (!/^k\s*>=/.test(text)) return text;
  return /\bany \d+ (row|item)s?\b/.exec(text)?.[1] ?? "k";
}

/** The text of a promise: the example with the numbers and words that were chosen. */
export function textOf(model, values, column) {
  const numbers = model.keys.filter((one) => one.type.includes("number"));
  let place = 0;
  const text = model.example.replace(/(?<=[=<(]\s*|any )\d+(\.\d+)?/g, (old) => values[numbers[place++]?.key] || old);
  const words = model.keys.filter(
    (one) => one.key !== "of" && !one.type.includes("number") && values[one.key] && values[one.key] !== one.default,
  ).map((one) => values[one.key]);
  if (!text.includes("[COLUMN]")) return words.length ? `${text}[${words.join(", ")}]` : text;
  return text.replace("[COLUMN]", `[${[inPromise(column), ...words].join(", ")}]`);
}

function adding(models, sensitive) {
  const { data, columns } = plans.now().plan;
  const items = Object.values(columns).some((one) => one.role === "quasi" && one.hierarchy?.items);
  const has = { nothing: true, people: Boolean(data.entity), items };
  const usable = models.filter((one) => has[one.needs] ?? sensitive.length);
  const box = el("div", { id: "adding" });
  const pick = field(
    "model",
    "Add a promise",
    el("select", { on: { change: () => shown() } }, options(usable.map((one) => [one.title, one.title]))),
  );
  const shown = () => fill(box, form(usable.find((one) => one.title === pick.querySelector("select").value), sensitive));
  shown();
  return el("div", {}, pick, box);
}

function form(model, sensitive) {
  const words = (one) => one.type.replace(/ or /g, ", ").split(", ");
  const control = (one) => {
    if (one.key === "of") return el("select", {}, options(sensitive.map((name) => [name, name])));
    if (one.type.includes("number")) return el(
      "input",
      { type: "text", inputmode: "decimal", value: one.default ?? "", autocomplete: "off" },
    );
    return el("select", { value: one.default }, options(words(one).map((word) => [word, word])));
  };
  const add = () => {
    const values = Object.fromEntries(model.keys.map((one) => [one.key, at(`of-${one.key}`).value.trim()]));
    const text = textOf(model, values, values.of);
    const kept = () => plans.promises().filter((one) => sortOf(one) !== sortOf(text));
    return change(() => ({ privacy: { promise: [...kept(), text] } }));
  };
  return el(
    "div",
    {},
    el("p", {}, el("strong", {}, "Stops: "), model.stops),
    el("p", {}, el("strong", {}, "Does not stop: "), model.does_not_stop),
    model.needs === "categories" && el(
      "p",
      { class: "help" },
      "It needs to know which values are most secret: see below.",
    ),
    el(
      "div",
      { class: "fields" },
      model.keys.map((one) => field(`of-${one.key}`, one.key === "of" ? "column" : one.key, control(one), one.meaning)),
    ),
    el("button", { type: "button", id: "add-promise", on: { click: add } }, "Add this promise"),
  );
}

/** Promise groups of the usual size; what is promised about confidential columns stays, if anything is. */
export function promiseUsual(one) {
  return change(() => {
    const others = plans.promises().filter((text) => sortOf(text) !== "k");
    const promise = others.length ? [one.promise[0], ...others] : one.promise;
    return { privacy: { promise, max_suppressed: one.max_suppressed, max_suppressed_records: null } };
  });
}

function rules(presets) {
  const ema = presets.find((one) => one.name === "ema-0.09");
  const harbor = presets.find((one) => one.name === "hipaa-safe-harbor");
  const told = (one) => [el("h3", {}, one.title), el("p", {}, one.words), el("p", { class: "help" }, one.source)];
  return el(
    "div",
    {},
    ema && [told(ema), el("button", { type: "button", id: "take-ema", on: { click: () => promiseUsual(ema) } }, "Promise this")],
    harbor && [told(harbor), safeHarbor()],
  );
}

function categories(sensitive) {
  const box = el("div", { id: "categories" });
  const pick = field(
    "category-column",
    "Confidential column",
    el("select", { on: { change: () => shown() } }, options(sensitive.map((name) => [name, name]))),
  );
  const sorted = (column, { values, more }) => {
    const given = plans.now().plan.columns[column]?.categories;
    const groups = given && typeof given === "object" ? Object.entries(given) : [
      ["most secret", []],
      ["less secret", []],
      ["harmless", values.map((one) => one.value)],
    ];
    const save = (found) => change(
      { columns: { [column]: { categories: Object.fromEntries(found.filter(([, inner]) => inner.length)) } } },
    );
    const forget = () => change({ columns: { [column]: { categories: null } } });
    return [
      more > 0 && el("p", { class: "help" }, "There are more values than are listed here. Use a file for them."),
      sorter("secret", groups, values.map((one) => one.value), { ordered: true, save, saved: "Use this order" }),
      given && el(
        "p",
        {},
        el("button", { type: "button", class: "small", on: { click: forget } }, "Forget the order"),
      ),
    ];
  };
  const shown = () => {
    const column = pick.querySelector("select").value;
    const values = get(`/api/table/values?column=${encodeURIComponent(column)}`);
    return answerInto(box, values, (found) => sorted(column, found));
  };
  const open = el("button", { type: "button", id: "sort-secrets", on: { click: shown } }, "Sort its values");
  return el(
    "div",
    {},
    el(
      "p",
      {},
      "Put the most secret values first. Promises such as enhanced(p=2, alpha=2) then ask for different kinds of secrets in every group.",
    ),
    el("div", { class: "row" }, pick, open),
    box,
  );
}
