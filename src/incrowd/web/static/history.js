// Earlier versions: take the plan of one again, or put two side by side.

import { get } from "./api.js";
import { at, el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { count, moment, percent } from "./numbers.js";
import { answerInto, experts, field, options, table } from "./parts.js";
import * as plans from "./plan.js";
import { isCurrent } from "./runs.js";
import { attempt } from "./shell.js";

/** Show all versions of the table in a box, the newest first, and those of other tables apart. */
export function showHistory(box, runs, others) {
  const back = (one) => el(
    "button",
    {
      type: "button",
      class: "small",
      id: `restore-${one.id}`,
      on: { click: () => attempt(() => plans.restore(one.id)) },
    },
    "Use its plan again",
    el("span", { class: "hidden" }, ` (version ${one.id})`),
  );
  const mark = (one) => [
    isCurrent(one) && el("span", { class: "badge yes" }, icon("yes", 16), "matches the plan"),
    one.exported ? ` written to ${one.exported}${one.written?.at(-1)?.signed ? ", with something open" : ""} ` : "",
  ];
  const rowsOf = (some, named) => some.map(
    (one) => [
      String(one.id),
      ...(named ? [one.table.name ?? "not known"] : []),
      one.label || "",
      moment(one.made),
      one.promise,
      percent(one.kept),
      `${count(one.suppressed)} (${percent(one.share_left_out)})`,
      [...mark(one), isCurrent(one) ? null : back(one)],
    ],
  );
  const head = ["name", "made", "promise", "detail", "left out", "plan"];
  const pairs = runs.map((one) => [String(one.id), `version ${one.id}${one.label ? `: ${one.label}` : ""}`]);
  const compare = runs.length > 1 && el(
    "div",
    {},
    el("h3", {}, "Compare two versions"),
    el(
      "div",
      { class: "row" },
      field("one", "This", el("select", { value: String(runs[1].id) }, options(pairs))),
      field("two", "with this", el("select", { value: String(runs[0].id) }, options(pairs))),
      el("button", { type: "button", id: "compare", on: { click: showCompared } }, "Compare"),
    ),
    el("div", { id: "compared", "aria-live": "polite" }),
  );
  return fill(
    box,
    runs.length ? table("Versions, the newest first", ["version", ...head], rowsOf(runs, false), { heads: 1 }) : el(
      "p",
      {},
      "There is no version of this table yet.",
    ),
    compare,
    others.length > 0 && experts(
      "other-tables",
      `Versions of other tables: ${others.length}`,
      el(
        "p",
        {},
        "They were made of another file, or of this one before it changed, and cannot be written as versions of this table. Using a plan again opens its table.",
      ),
      table("Versions of other tables", ["version", "made of", ...head], rowsOf(others, true), { heads: 1 }),
    ),
  );
}

function showCompared() {
  const [a, b] = [at("one").value, at("two").value];
  return answerInto(at("compared"), get(`/api/runs/compare?a=${a}&b=${b}`), (found) => table(
    `Version ${a} and version ${b}`,
    ["what", `version ${a}`, `version ${b}`],
    found.rows.map((one) => [one.what, one.a ?? "–", one.b ?? "–"]),
    { heads: 1, marked: (row, place) => (place > 0 && row[1] !== row[2] ? "changed" : "") },
  ));
}
