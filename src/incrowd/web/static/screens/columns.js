// Screen 2: what each column is.

import { get } from "../api.js";
import { checks } from "../checks.js";
import { at, el, fill, say } from "../dom.js";
import { icon } from "../icons.js";
import { count, counted, ofHundred, percent } from "../numbers.js";
import { bars, experts, histogram, meaning, table, waiting } from "../parts.js";
import * as plans from "../plan.js";
import { attempt, begin, change, complain } from "../shell.js";
import { kindWords, MEANS, ROLES, roleWords } from "../words.js";

let profile = null;
let order = [];
let asked = "";

/** Who is one of a kind, by all columns and without each. */
async function showAlone() {
  const quasi = plans.columnsOf("quasi");
  const key = JSON.stringify([quasi, plans.now().plan.data]);
  if (key === asked) return;
  asked = key;
  const found = await waiting(
    at("alone"),
    "Counting who is one of a kind…",
    (signal) => get("/api/table/singling-out", { signal }),
  );
  if (!found || key !== asked) return;
  const best = found.without[0];
  const less = best && Number(best.share) < Number(
    found.together.share,
  ) ? ` Without ${best.column} it would be ${ofHundred(best.share)}.` : "";
  const sentence = `The ${counted(quasi.length, "column")} that could help recognise somebody make ${ofHundred(found.together.share)} one of a kind.${less}`;
  const row = (name, one, strong) => (
    { name, share: Number(one.share), words: `${count(one.alone)} (${percent(one.share)})`, strong }
  );
  fill(
    at("alone"),
    el("p", { class: "sentence" }, sentence),
    bars([row("all together", found.together, true), ...found.without.map((one) => row(`without ${one.column}`, one))]),
    meaning(MEANS.alone),
  );
  fill(at("more"), combinations(found));
}

function combinations(found) {
  const rows = [...found.single, ...found.pairs].map(
    (one) => [one.columns.join(" and "), count(one.alone), percent(one.share)],
  );
  return experts(
    "combinations",
    "For experts: which columns alone, and in pairs, single people out",
    table("People who are one of a kind", ["columns", "people", "share"], rows, { heads: 1 }),
  );
}

function showCards() {
  const { columns, unsure } = plans.now();
  if (!order.length) order = [...unsure, ...columns.map((one) => one.name).filter((name) => !unsure.includes(name))];
  const known = new Map(columns.map((one) => [one.name, one]));
  const facts = new Map(profile.columns.map((one) => [one.name, one]));
  const names = order.filter((name) => known.has(name));
  const left = unsure.length;
  const head = el(
    "p",
    { id: "left", class: "sentence" },
    left ? `${counted(left, "column")} ${left === 1 ? "needs" : "need"} a look: we are not sure about ${left === 1 ? "it" : "them"}.` : "You have looked at every column that we were not sure about.",
  );
  fill(
    at("cards"),
    head,
    checks(plans.now().checks, (column) => showCard(names.indexOf(column))),
    el("div", { class: "cards" }, names.map((name, place) => card(known.get(name), facts.get(name), place))),
  );
}

/** Lead to the card of a column. */
function showCard(place) {
  at(`card-${place}`)?.scrollIntoView({ block: "start" });
  at(`name-${place}`)?.focus({ preventScroll: true });
}

function card(column, found, place) {
  const open = !column.confirmed;
  const confirm = el(
    "button",
    { type: "button", id: `yes-${place}`, class: "small", on: { click: () => accept(column.name, place) } },
    icon("yes", 18),
    `Yes, ${roleWords(column.role).toLowerCase()}`,
  );
  const mark = open ? el("span", { class: "badge look" }, icon("look", 16), "please confirm") : el(
    "span",
    { class: "badge yes" },
    icon("yes", 16),
    column.sure ? "we are sure" : "confirmed",
  );
  const why = column.role === column.suggested ? `Why we think so: ${because(column.reason)}.` : `You chose this. We would have said: ${roleWords(column.suggested).toLowerCase()}.`;
  return el(
    "article",
    { class: open ? "card look" : "card", id: `card-${place}`, "aria-labelledby": `name-${place}` },
    el(
      "header",
      {},
      el("h3", { id: `name-${place}`, tabindex: "-1" }, column.name),
      mark,
      open && el("span", { class: "end" }, confirm),
    ),
    el(
      "div",
      { class: "two" },
      found ? numbers(found) : el("div"),
      el("div", {}, roles(column, place, found), el("p", { class: "reason" }, why), column.role === "shifted" && howFar(place)),
    ),
  );
}

/** A reason in the middle of a sentence; numbers alone are none. */
function because(reason) {
  const words = reason.replace(/\.$/, "").replace(/^(name|values)\b/, "its $1").replace(/^(stands|looks)\b/, "it $1");
  const known = words && !/^(text|number|date|datetime|instant|time|boolean|mixed)\b/.test(words);
  return known ? words : `nothing in its name or values says what it is${words ? ` (${words})` : ""}, so this is the careful choice`;
}

function numbers(found) {
  const words = [
    `${counted(found.distinct, "different value")}`,
    kindWords(found.kind),
    found.missing ? `${count(found.missing)} missing` : "none missing",
  ].join(", ");
  const shown = found.histogram.length > 1 ? found.histogram.filter(
    (one) => !/^[\d,]+ more$/.test(one.label),
  ) : found.histogram; // the rest would dwarf the others
  const label = `How often values of ${found.name} occur: ${found.histogram.slice(0, 12).map((one) => `${one.label}: ${one.count}`).join("; ")}`;
  return el(
    "div",
    {},
    histogram(shown, label),
    el("p", { class: "help" }, words),
    el("p", { class: "help" }, `${percent(found.share_alone)} are one of a kind by this column alone.`),
    el(
      "ul",
      { class: "chips", "aria-label": "Examples" },
      found.examples.map((one) => el("li", {}, one ?? el("span", { class: "missing" }, "missing"))),
    ),
  );
}

/** How far the dates of a person are shifted: the same for all columns. */
function howFar(place) {
  const { shift } = plans.now().plan;
  const within = el("input", {
    type: "number",
    id: `within-${place}`,
    min: shift.weekdays ? 7 : 1,
    value: shift.within,
    on: { change: (event) => change({ shift: { within: Number(event.target.value) } }) },
  });
  const weekdays = el("input", {
    type: "checkbox",
    id: `weekdays-${place}`,
    checked: Boolean(shift.weekdays),
    on: { change: (event) => change({ shift: { weekdays: event.target.checked } }) },
  });
  return el(
    "div",
    {},
    el("p", {}, el("label", {}, "By so many days at most, to either side: ", within)),
    el("p", {}, el("label", {}, weekdays, " A Monday stays a Monday")),
    el("p", { class: "help" }, `The key is in ${shift.key_file}. Keep it: without it nobody can go on next year, and whoever has it can undo the shift.`),
  );
}

/** Days are shifted by person, so somebody must have said who that is. */
const mayBe = (role, column, found) => role !== "shifted" || column.role === "shifted" || (
  ["date", "datetime", "instant"].includes(found?.kind) && Boolean(plans.now().plan.data.entity)
);

function roles(column, place, found) {
  const one = ([role, title, words, mark]) => el(
    "label",
    { class: "pick" },
    el(
      "input",
      {
        type: "radio",
        name: `role-${place}`,
        id: `role-${place}-${role}`,
        value: role,
        checked: role === column.role,
        on: { change: () => choose(column.name, role) },
      },
    ),
    el("span", {}, el("strong", {}, icon(mark, 16), ` ${title}`), el("small", {}, words)),
  );
  return el(
    "fieldset",
    {},
    el("legend", { class: "hidden" }, `What is ${column.name}?`),
    el("div", { class: "roles" }, ROLES.filter(([role]) => mayBe(role, column, found)).map(one)),
  );
}

const choose = (name, role) => change({ columns: { [name]: { role } } });

async function accept(name, place) {
  await attempt(() => plans.confirm([name]));
  const next = document.querySelector(".card.look h3") ?? at(`name-${place}`);
  next?.focus();
  say(`${name} is confirmed.`);
}

/** Nobody goes on before the unsure columns were looked at. */
function guard() {
  at("onward").addEventListener("click", (event) => {
    const { unsure } = plans.now();
    if (!unsure.length) return;
    event.preventDefault();
    complain(
      {
        message: `Please confirm ${unsure.length === 1 ? "the column" : "the columns"} ${unsure.join(", ")} first.`,
        hint: "Choose what it is, or press the Yes button on its card.",
      },
      { actions: [toFirst()], control: at("onward") },
    );
  });
}

/** The way to the first column that nobody has looked at. */
function toFirst() {
  const act = () => {
    const first = document.querySelector(".card.look h3");
    first?.scrollIntoView({ block: "center" });
    first?.focus({ preventScroll: true });
  };
  return el("button", { type: "button", class: "main", id: "to-first", on: { click: act } }, "Show me the first one");
}

function render(plan) {
  if (!plan.exists || plan.problem || !profile) return;
  showCards();
  showAlone().catch(() => undefined);
}

guard();
await begin(render);
if (plans.now()?.exists && !plans.now().problem) {
  profile = await waiting(
    at("cards"),
    "Looking at the columns…",
    (signal) => get("/api/table/profile", { signal }),
  ).catch(() => null);
  if (profile) render(plans.now());
}
