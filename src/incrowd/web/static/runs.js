// The runs: which one is looked at, and its numbers.

import { get } from "./api.js";
import { el } from "./dom.js";
import { count, moment, percent } from "./numbers.js";
import { fact, field, notice, options } from "./parts.js";
import { leftOut } from "./plan.js";
import { MEANS } from "./words.js";

/** The number of the run that the address asks for. */
const wanted = () => Number(new URLSearchParams(location.search).get("run")) || null;

/** Whether a run was made by the plan as it is now; what only the report says does not count. */
export const isCurrent = (run) => run.current;

/** The run to look at: the one that was asked for, else the newest; those of other tables stand apart. */
export async function chosen() {
  const { runs: all } = await get("/api/runs");
  const runs = all.filter((one) => one.table.this);
  const others = all.filter((one) => !one.table.this);
  return { runs, others, run: runs.find((one) => one.id === wanted()) ?? runs[0] ?? null };
}

const named = (run) => `${run.id}: ${run.label || run.promise}, ${percent(run.kept)} detail, ${moment(run.made)}`;

/** Which run is looked at, with a way to another; says so if the plan has changed since. */
export function which(runs, run, path) {
  if (!run) return notice(
    "plain",
    "There is no version of this table yet.",
    "Make one in step 5 first.",
    el("a", { class: "button main", href: "/choose" }, "Choose a version"),
  );
  const pick = runs.length > 1 && field(
    "run",
    "Version",
    el(
      "select",
      { value: String(run.id), on: { change: (event) => location.assign(`${path}?run=${event.target.value}`) } },
      options(runs.map((one) => [String(one.id), named(one)])),
    ),
  );
  const old = !isCurrent(run) && notice(
    "plain",
    "The plan has changed since this version was made.",
    "What you see belongs to the version, not to the plan as it is now.",
    el("a", { class: "button", href: "/choose" }, "Make a new version"),
  );
  return el("div", { class: "which" }, pick, old);
}

const lost = (columns = [], what, words) => columns.length > 0 && fact(
  count(columns.length),
  `${columns.length === 1 ? "column carries" : "columns carry"} ${what}: ${columns.join(", ")}`,
  words,
);

/** What nothing or little is left of, and what would bring it back; nothing where all is well. */
export const shortfalls = (run) => (run.shortfalls ?? []).length > 0 && notice(
  "doubt",
  "Look at what is left before you go on",
  run.shortfalls,
);

/** The numbers of a run or of a proposal, each with what it means. */
export function numbersOf(run) {
  const left = run.records ? `${count(run.suppressed)} of ${count(run.records)}` : count(run.suppressed);
  return el(
    "div",
    { class: "facts" },
    fact(percent(run.kept), "of the detail is kept", MEANS.kept),
    lost(run.carry_nothing, "nothing any more", MEANS.empty),
    lost(run.carry_little, "little", MEANS.scarce),
    fact(left, `${leftOut()} are left out (${percent(run.share_left_out)})`, MEANS.leftOut),
    fact(count(run.smallest), "people in the smallest group", MEANS.smallest),
    fact(percent(run.highest), "highest chance to find somebody", MEANS.highest),
    fact(percent(run.average), "average chance", MEANS.average),
    fact(count(run.classes), "groups", MEANS.classes),
  );
}
