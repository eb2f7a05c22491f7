// The cards of what several searches would publish, and the columns that are to be kept.

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { count, percent } from "./numbers.js";
import { table } from "./parts.js";
import { leftOut } from "./plan.js";

const KEEP = "5"; // the importance of a column that is to be kept: all stars of step 4

/** What a level makes of a column, by an example. */
export function levelWords(labels, level) {
  if (level === 0) return "exact";
  return level === labels.length - 1 ? "not shown" : `such as ${labels[level] ?? "missing"}`;
}

const badge = (kind, words) => el("span", { class: `badge ${kind}` }, words);
const row = (name, value) => el("small", {}, `${name}: `, el("b", {}, value));
const short = (words, names) => names.length > 0 && el(
  "small",
  { class: "doubt" },
  icon("look", 16),
  ` ${words} `,
  el("b", {}, names.join(", ")),
);

/** Whoever knows the whole table finds so many: by linkage, or by the narrowest group that fits. */
export const foundBy = (one) => Math.max(Number(one.linkage ?? 0), Number(one.narrowest ?? 0));

/** A card; `marks` says whether it is picked, recommended or in the plan, `pick()` is called when it is chosen. */
export function card(one, marks, pick) {
  const input = el(
    "input",
    {
      type: "radio",
      name: "version",
      id: `version-${one.name.replaceAll(" ", "-")}`,
      value: one.name,
      disabled: !one.possible,
      checked: marks.picked,
      on: { change: pick },
    },
  );
  const top = [
    el(
      "span",
      { class: "top" },
      input,
      el("strong", {}, one.title),
      marks.recommended && badge("best", "recommended"),
      marks.planned && badge("yes", "in your plan"),
    ),
    el("small", {}, one.words),
  ];
  if (!one.possible) return el("label", { class: "pick" }, top, el("small", { class: "doubt" }, `Not possible here: ${one.problem.message}`));
  return el(
    "label",
    { class: "pick" },
    top,
    el("span", { class: "much" }, el("b", {}, percent(one.kept)), " of the detail is kept"),
    marks.weighted && row("as you weigh the columns", percent(one.weighted)),
    row(`${leftOut()} left out`, `${count(one.suppressed)} (${percent(one.share_left_out)})`),
    row("cells starred", count(one.starred)),
    one.linkage !== null && row("found by who knows the whole table", percent(String(foundBy(one)))),
    short("Nothing is left of", one.carry_nothing),
    short("Little is left of", one.carry_little),
  );
}

/** What becomes of every column in each of them. */
export function columnsTable(able) {
  const told = able.map((one) => new Map(one.columns.map((left) => [left.column, left])));
  const rows = able[0].columns.map(({ column }) => [
    column,
    ...told.map((columns) => el(
      "span",
      { class: columns.get(column).status === "fine" ? null : "doubt" },
      columns.get(column).published,
    )),
  ]);
  return table("What becomes of each column", ["column", ...able.map((one) => one.title)], rows, { heads: 1, tight: true });
}

/** One button per column: to keep it, and to weigh it as the others again; `act(change)` puts that into the plan. */
export const keepers = (columns, act) => el(
  "fieldset",
  { class: "keep" },
  el("legend", {}, "Is a column important to you? Keep it, and everything is computed again"),
  el(
    "div",
    { class: "buttons" },
    columns.map(({ name, importance }, place) => el(
      "button",
      {
        type: "button",
        class: "small",
        id: `keep-${place}`,
        "aria-pressed": String(Number(importance ?? 1) > 1),
        on: { click: () => act({ columns: { [name]: { importance: Number(importance ?? 1) > 1 ? null : KEEP } } }) },
      },
      icon("star", 16),
      ` Keep ${name}`,
    )),
  ),
);
