// Screen 4: how far each column may become vaguer.

import { get, post } from "../api.js";
import { builder } from "../builder.js";
import { at, el, fill, turn } from "../dom.js";
import { icon } from "../icons.js";
import { count, counted } from "../numbers.js";
import { answerInto, experts, field, histogram, meaning, notice, options, problem } from "../parts.js";
import * as plans from "../plan.js";
import { begin, change } from "../shell.js";

const STARS = 5;
const seen = new Map();
let kinds = [];
let profile = null;

const asked = (name) => JSON.stringify(plans.now().plan.columns[name]?.hierarchy ?? null);

/** The ladder of a column as the plan has it; asked for once. */
function ladder(name) {
  const key = asked(name);
  if (seen.get(name)?.key !== key) {
    const found = post("/api/hierarchies/preview", { column: name });
    seen.set(name, { key, found });
    found.catch(() => seen.delete(name));
  }
  return seen.get(name).found;
}

async function showAll() {
  const names = plans.columnsOf("quasi");
  const box = at("ladders");
  if (!names.length) return fill(
    box,
    notice(
      "plain",
      "No column could help recognise somebody.",
      "Nothing has to become vaguer. Is that right? Look at step 2 again.",
    ),
  );
  const there = [...box.querySelectorAll("[data-column]")].map((one) => one.dataset.column);
  if (JSON.stringify(there) !== JSON.stringify(names)) showCards(box, names);
  const fresh = turn(box);
  for (const [place, name] of names.entries()) {
    await showOne(name, place);
    if (!fresh()) return undefined;
  }
  return undefined;
}

function showCards(box, names) {
  const shells = names.map(
    (name, place) => el(
      "article",
      { class: "card", id: `ladder-${place}`, "aria-labelledby": `title-${place}` },
      el("header", {}, el("h3", { id: `title-${place}` }, name)),
      el(
        "div",
        { id: `inside-${place}`, "data-column": name },
        el("p", { class: "help" }, "Looking at the values…"),
      ),
    ),
  );
  fill(
    box,
    el(
      "p",
      { class: "sentence" },
      "Every rung of a ladder is one level vaguer. The search goes as far up as the promise needs, and no further than you allow.",
    ),
    meaning(
      "A group is a set of values that are published as the same text. Many people per group mean a large crowd; few groups mean little detail.",
    ),
    el("div", { class: "cards" }, shells),
  );
}

const showOne = (name, place) => answerInto(at(`inside-${place}`), ladder(name), (found) => [
  found.problem ? [
    problem({ ...found.problem, hint: "Build another ladder below." }),
    uncovered(found),
  ] : drawn(found, name, place),
  advice(name),
  changing(found, name, place),
]);

const limit = (name, key, other) => plans.now().plan.columns[name]?.[key] ?? other;

function drawn(found, name, place) {
  const most = limit(name, "at_most", found.height);
  const least = limit(name, "at_least", 0);
  return [
    rungs(found, least, most),
    el(
      "div",
      { class: "limits" },
      highest(found, name, place, most),
      stars(name, place),
      lowest(found, name, place, least),
    ),
  ];
}

const sample = (found, level) => {
  const ladder = found.examples[Math.floor(found.examples.length / 2)];
  return ladder ? (ladder[level] ?? "missing") : "no value";
};

function rungs(found, least, most) {
  const rung = (one) => {
    const shut = one.level > most || one.level < least;
    const bars = one.labels.slice(0, 24).map((label) => ({ label: label.label, count: label.records }));
    const words = one.level === found.height && one.groups === 1 ? "everybody alike" : `${counted(one.groups, "group")}, smallest ${count(one.smallest)}`;
    return el(
      "li",
      { class: shut ? "shut" : null },
      el("span", { class: "level" }, one.level),
      el("span", { class: "label" }, sample(found, one.level)),
      histogram(bars, `People per group at level ${one.level}`),
      el("span", { class: "words" }, words, shut && el("strong", {}, ", not allowed")),
    );
  };
  return el(
    "ul",
    { class: "rungs", "aria-label": `Ladder of ${found.column}, from exact to vague` },
    found.levels.map(rung),
  );
}

function highest(found, name, place, most) {
  const words = (level) => (
    level >= found.height ? "It may become as vague as needed." : `Never vaguer than level ${level}: ${sample(found, level)}`
  );
  const told = el("span", { class: "help", id: `most-words-${place}` }, words(most));
  const slider = el(
    "input",
    {
      type: "range",
      id: `most-${place}`,
      min: "0",
      max: String(found.height),
      step: "1",
      value: String(most),
      "aria-describedby": `most-words-${place}`,
      on: {
        input: (event) => { told.textContent = words(Number(event.target.value)); },
        change: (event) => set(name, place, "at_most", Number(event.target.value), found.height),
      },
    },
  );
  return el("p", { class: "field" }, el("label", { for: `most-${place}` }, "Never vaguer than"), slider, told);
}

function lowest(found, name, place, least) {
  const pairs = found.levels.map(
    (one) => [
      String(one.level),
      one.level === 0 ? "0: exact values are fine" : `${one.level}: ${sample(found, one.level)}`,
    ],
  );
  return field(
    `least-${place}`,
    "Never more exact than",
    el(
      "select",
      { value: String(least), on: { change: (event) => set(name, place, "at_least", Number(event.target.value), 0) } },
      options(pairs),
    ),
  );
}

function set(name, place, key, level, usual) {
  return change({ columns: { [name]: { [key]: level === usual ? null : level } } });
}

function stars(name, place) {
  const now = Math.min(Math.max(Math.round(Number(limit(name, "importance", "1"))), 1), STARS);
  const one = (number) => el(
    "label",
    { class: number <= now ? "on" : null },
    el(
      "input",
      {
        class: "hidden",
        type: "radio",
        name: `stars-${place}`,
        id: `stars-${place}-${number}`,
        value: String(number),
        checked: number === now,
        on: { change: () => change({ columns: { [name]: { importance: number === 1 ? null : String(number) } } }) },
      },
    ),
    icon("star", 24),
    el("span", { class: "hidden" }, number === 1 ? "1 star: as important as usual" : `${number} stars`),
  );
  return el(
    "fieldset",
    {},
    el("legend", {}, "How important is its detail?"),
    el("div", { class: "stars" }, Array.from({ length: STARS }, (_, place_) => one(place_ + 1))),
    el("span", { class: "help" }, now === 1 ? "As important as usual." : `Losing it costs ${now} times as much.`),
  );
}

/** What was said about the column when it was looked at, without the words for the file. */
function advice(name) {
  const check = plans.now().columns.find((one) => one.name === name)?.check ?? "";
  const words = check.replace(/:?\s*\{.*\}\s*$/, "").replace("look at the file", "look at the whole tree below").trim();
  return words && el(
    "p",
    { class: "reason" },
    `${words[0].toUpperCase()}${words.slice(1)}${/[.?]$/.test(words) ? "" : "."}`,
  );
}

const uncovered = (found) => found.uncovered.count > 0 && el(
  "p",
  {},
  `${counted(found.uncovered.count, "value")} in no group: ${found.uncovered.values.map((one) => one ?? "missing").join(", ")}`,
);

function changing(found, name, place) {
  const box = el("div", { id: `build-${place}` });
  const details = experts(`change-${place}`, "Another ladder, the whole tree", box);
  details.addEventListener("toggle", () => {
    if (!details.open || box.childElementCount) return;
    const kind = profile.columns.find((one) => one.name === name)?.kind ?? "text";
    const use = (hierarchy) => change({ columns: { [name]: { hierarchy, at_most: null, at_least: null } } });
    fill(
      box,
      builder(
        { id: `b${place}`, column: name, kind, kinds, now: plans.now().plan.columns[name]?.hierarchy ?? "auto", use },
      ),
      el("h3", {}, "The tree as it is"),
      found.drawing ? el(
        "pre",
        { tabindex: "0", "aria-label": `Tree of ${name}` },
        found.drawing,
      ) : el("p", {}, "There is nothing to draw."),
    );
  });
  return details;
}

function render(plan) {
  if (plan.exists && !plan.problem && profile) showAll();
}

await begin(render);
if (plans.now()?.exists && !plans.now().problem) {
  try {
    [kinds, profile] = await Promise.all([get("/api/hierarchies/kinds"), get("/api/table/profile")]);
    await showAll();
  } catch (error) {
    fill(at("ladders"), problem(error));
  }
}
