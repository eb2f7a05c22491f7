// For experts: build a ladder of another kind, and see at once what it makes of the column.

import { get, post, upload } from "./api.js";
import { at, calmly, el, fill, turn } from "./dom.js";
import { sorter } from "./groups.js";
import { ladderTable } from "./ladder.js";
import { count, counted } from "./numbers.js";
import { answerInto, field, options, problem, table } from "./parts.js";

const PERIODS = ["day", "week", "month", "quarter", "year", "decade", "century"];
const GROUPED = new Set(["tree", "ordered", "table"]);
const TABLE = { kind: "table", title: "A table: a label per level for each value", example: {}, keys: [] };
const LIST = (typed) => typed.split(/[,;\s]+/).filter(Boolean);
const READ = { numbers: LIST, "whole number": Number, "whole numbers": (typed) => LIST(typed).map(Number) };
const BASE = { date: "date", datetime: "date", instant: "date" };

const kindOf = (hierarchy) => (typeof hierarchy === "string" ? hierarchy : (Object.keys(hierarchy)[0] ?? "auto"));

/** `use(hierarchy)` puts what was built into the plan. */
export function builder({ id, column, kind, kinds: given, now, use }) {
  const tabled = given.find((one) => one.kind === "tree")?.for ?? []; // what is filled in becomes a tree
  const kinds = [...given, { ...TABLE, for: tabled }];
  const fitting = kinds.filter(
    (one) => one.for.includes(kind) || one.for.includes(BASE[kind]) || one.kind === kindOf(now),
  );
  const state = { hierarchy: now };
  const keys = el("div", { id: `${id}-keys` });
  const shown = el("div", { id: `${id}-shown`, "aria-live": "polite" });
  const look = calmly(() => {
    answerInto(shown, post("/api/hierarchies/preview", { column, hierarchy: state.hierarchy }), outcome);
  }, 350);
  const set = (hierarchy) => {
    state.hierarchy = hierarchy;
    look();
  };
  const pick = field(
    `${id}-kind`,
    "Kind of ladder",
    el(
      "select",
      { value: kindOf(now), on: { change: (event) => changed(event.target.value) } },
      options(fitting.map((one) => [one.kind, one.title])),
    ),
  );
  const changed = (name) => {
    turn(shown); // a preview of the former kind may still be on its way
    const found = kinds.find((one) => one.kind === name);
    const first = kindOf(now) === name ? now : found.example;
    state.hierarchy = GROUPED.has(name) ? null : first; // these begin with the values of the column
    fill(keys, form(id, found, kindOf(now) === name || !GROUPED.has(name) ? first : {}, column, set));
    if (state.hierarchy !== null) look();
  };
  changed(kindOf(now));
  const save = el(
    "button",
    {
      type: "button",
      class: "main",
      id: `${id}-use`,
      on: { click: () => state.hierarchy !== null && use(state.hierarchy) },
    },
    "Use this ladder",
  );
  return el(
    "div",
    {},
    pick,
    keys,
    el("h3", {}, "What it makes of the column"),
    shown,
    el("p", { class: "buttons" }, save),
  );
}

function outcome(found) {
  const gone = found.uncovered.count > 0 && el(
    "p",
    {},
    `${counted(found.uncovered.count, "value")} in no group: ${found.uncovered.values.map((one) => one ?? "missing").join(", ")}`,
  );
  if (found.problem) return [problem(gone ? { ...found.problem, hint: "Put them into groups." } : found.problem), gone];
  const heads = found.levels.map(
    (one) => `level ${one.level} (${counted(one.groups, "group")}, smallest ${count(one.smallest)})`,
  );
  return table(`Some values of ${found.column}, and what they become`, heads, found.examples);
}

function form(id, kind, given, column, set) {
  if (kind.kind === "tree") return treeForm(id, given, column, set);
  if (kind.kind === "table") return ladderTable(`${id}-table`, column, set);
  if (kind.kind === "ordered") return orderedForm(id, given, column, set);
  if (kind.kind === "dates") return datesForm(id, given, set);
  if (!kind.keys.length) return el(
    "p",
    { class: "help" },
    kind.kind === "auto" ? "We choose by the values of the column." : "Either the value itself, or nothing.",
  );
  const values = typeof given === "object" ? given : { [kind.kind]: given };
  const written = (value) => (Array.isArray(value) ? value.join(", ") : (value ?? ""));
  const read = () => {
    const built = {};
    for (const one of kind.keys) {
      const typed = at(`${id}-${one.key}`).value.trim();
      if (typed === "" && one.key !== kind.kind) continue;
      built[one.key] = READ[one.type]?.(typed) ?? typed;
    }
    set(built);
  };
  const control = (one) => (one.choices.length
    ? el(
      "select",
      { value: written(values[one.key] ?? one.default), on: { change: read } },
      options(one.choices.map(({ value, title }) => [value, title])),
    )
    : el("input", { type: "text", value: written(values[one.key]), placeholder: one.default ?? "", autocomplete: "off", on: { input: read } }));
  return el(
    "div",
    { class: "fields" },
    kind.keys.map((one) => field(`${id}-${one.key}`, one.key.replace("_", " "), control(one), one.meaning)),
  );
}

function datesForm(id, given, set) {
  const chosen = given?.dates ?? [];
  const read = () => {
    const format = at(`${id}-format`).value.trim();
    set({ dates: PERIODS.filter((one) => at(`${id}-${one}`).checked), ...(format ? { format } : {}) });
  };
  const one = (period) => el(
    "label",
    { class: "check" },
    el("input", { type: "checkbox", id: `${id}-${period}`, checked: chosen.includes(period), on: { change: read } }),
    period,
  );
  return el(
    "div",
    {},
    el("fieldset", {}, el("legend", {}, "Levels"), el("div", { class: "row" }, PERIODS.map(one))),
    field(
      `${id}-format`,
      "How dates are written, if the column holds texts",
      el(
        "input",
        { type: "text", value: given?.format ?? "", placeholder: "%d.%m.%Y", autocomplete: "off", on: { input: read } },
      ),
    ),
  );
}

const valuesOf = (column) => get(`/api/table/values?column=${encodeURIComponent(column)}`);

/** Groups of values by dragging, the same as a text, or a file. */
function treeForm(id, given, column, set) {
  const box = el("div", {}, el("p", { class: "help" }, "Looking at the values…"));
  valuesOf(column).then(({ values, more }) => {
    const texts = values.map((one) => one.value).filter((one) => one !== null);
    const flat = typeof given.tree === "object" && Object.values(given.tree).every(
      Array.isArray,
    ) && Object.values(given.tree).flat().some(
      (one) => texts.includes(one),
    );
    const groups = flat ? Object.entries(given.tree) : [["group 1", []], ["group 2", []]];
    const changed = (found) => set({ tree: Object.fromEntries(found.filter(([, inner]) => inner.length)) });
    const file = el("input", { type: "file", accept: ".csv", on: { change: (event) => taken(event.target.files[0]) } });
    const said = el("p", { class: "help", role: "status" });
    const taken = async (chosen) => {
      try {
        const { name } = await upload(chosen, () => undefined);
        said.textContent = `Copied into the folder as ${name}.`;
        set({ tree: name });
      } catch (error) {
        fill(said, problem(error));
      }
    };
    const read = typeof given.tree === "string" && el(
      "p",
      { id: `${id}-from` },
      "It is read from the file ",
      el("code", {}, given.tree),
      given.from_data && ", which we made: values that go with the same values of other columns share a group. It holds values of your table.",
    );
    fill(
      box,
      read,
      field(`${id}-file`, read ? "From another file: one row per value, from exact to vague" : "From a file: one row per value, from exact to vague", file),
      said,
      el(
        "p",
        {},
        more ? `Only the ${count(values.length)} most frequent values are listed. Use a file for all of them.` : "Or drag values into groups; the list beside each value does the same.",
      ),
      sorter(`${id}-tree`, groups, texts, { changed }),
    );
    if (flat || read) set(given);
  }).catch((error) => fill(box, problem(error)));
  return box;
}

/** The order of the values, and how many neighbours form a group. */
function orderedForm(id, given, column, set) {
  const box = el("div", {}, el("p", { class: "help" }, "Looking at the values…"));
  valuesOf(column).then(({ values }) => {
    const known = Array.isArray(given?.ordered) && given.ordered.some(
      (one) => values.some((value) => value.value === one),
    );
    const list = known ? given.ordered : values.map((one) => one.value).filter((one) => one !== null).sort();
    const lines = el(
      "textarea",
      { rows: String(Math.min(Math.max(list.length, 3), 12)), value: list.join("\n"), on: { input: () => read() } },
    );
    const levels = el(
      "input",
      {
        type: "text",
        value: (known ? given.levels : [2]).join(", "),
        autocomplete: "off",
        on: { input: () => read() },
      },
    );
    const read = () => set(
      {
        ordered: lines.value.split("\n").map((one) => one.trim()).filter(Boolean),
        levels: levels.value.split(/[,\s]+/).filter(Boolean).map(Number),
      },
    );
    fill(
      box,
      field(`${id}-order`, "Values in their order, one per line", lines),
      field(
        `${id}-levels`,
        "Neighbours in a group, per level",
        levels,
        "Such as 2, 4: each a multiple of the one before.",
      ),
    );
    read();
  }).catch((error) => fill(box, problem(error)));
  return box;
}
