// The cards of the three versions.

import { post } from "./api.js";
import { el } from "./dom.js";
import { count, percent } from "./numbers.js";
import * as plans from "./plan.js";

const SAMPLES = 12;
const samples = new Map();

/** What every column becomes, by an example. */
function levelsOf(levels) {
  const words = (name, level) => {
    const found = samples.get(name);
    if (!found) return `level ${level}`;
    return level === 0 ? "exact" : level === found.height ? "not shown" : `such as ${found.labels[level]}`;
  };
  return el(
    "span",
    { class: "levels" },
    Object.entries(levels).map(([name, level]) => el("small", {}, `${name}: `, el("b", {}, words(name, level)))),
  );
}

/** One value of each column on its way up the ladder, for the cards. */
export async function fetchSamples() {
  const names = plans.columnsOf("quasi").slice(0, SAMPLES);
  const found = await Promise.all(names.map((column) => post("/api/hierarchies/preview", { column })));
  for (const one of found) {
    const labels = one.examples[Math.floor(one.examples.length / 2)];
    if (labels) samples.set(one.column, { height: one.height, labels });
  }
}

/** The card of a version; `middle` is the recommended one, `pick()` is called when this one is chosen, `planned` if the plan asks for it. */
export function proposal(one, middle, picked, pick, planned) {
  const input = el(
    "input",
    {
      type: "radio",
      name: "version",
      id: `version-${one.name}`,
      value: one.name,
      disabled: !one.possible,
      checked: picked,
      on: { change: pick },
    },
  );
  const best = one.name === "balanced" && el("span", { class: "badge best" }, "recommended");
  const asked = planned && el("span", { class: "badge yes" }, "in your plan");
  const top = [
    el("span", { class: "top" }, input, el("strong", {}, one.title), best, asked),
    el("small", {}, `${one.words[0].toUpperCase()}${one.words.slice(1)}.`),
  ];
  if (!one.possible) return el("label", { class: "pick" }, top, el("small", {}, "Not possible within these limits."));
  const row = (name, value) => el("small", {}, `${name}: `, el("b", {}, value));
  const same = one.name !== "balanced" && one.kept === middle?.kept && one.suppressed === middle?.suppressed;
  return el(
    "label",
    { class: "pick" },
    top,
    same && el("small", {}, el("b", {}, "The same as balanced here.")),
    row("detail kept", percent(one.kept)),
    row("people left out", `${count(one.suppressed)} (${percent(one.share_left_out)})`),
    row("highest chance to find somebody", percent(one.highest)),
    row("average chance", percent(one.average)),
    one.levels && levelsOf(one.levels),
  );
}
