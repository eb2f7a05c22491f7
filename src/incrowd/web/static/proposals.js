// The cards of the three versions.

import { el } from "./dom.js";
import { count, percent } from "./numbers.js";
import { leftOut } from "./plan.js";

let samples = {};

/** Take one value of each column on its way up the ladder. */
export const takeSamples = (found) => { samples = found ?? {}; };

/** What a level makes of a column, by an example. */
export function levelWords(labels, level) {
  if (level === 0) return "exact";
  return level === labels.length - 1 ? "not shown" : `such as ${labels[level] ?? "missing"}`;
}

/** What every column becomes. */
const levelsOf = (levels) => el(
  "span",
  { class: "levels" },
  Object.entries(levels).map(([name, level]) => el(
    "small",
    {},
    `${name}: `,
    el("b", {}, samples[name] ? levelWords(samples[name], level) : `level ${level}`),
  )),
);

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
  const marks = [one.name === "balanced" && "recommended", planned && "in your plan"].filter(Boolean).join(", ");
  const badge = marks && el("span", { class: planned ? "badge yes" : "badge best" }, marks);
  const top = [
    el("span", { class: "top" }, input, el("strong", {}, one.title), badge || null),
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
    row(`${leftOut()} left out`, `${count(one.suppressed)} (${percent(one.share_left_out)})`),
    row("highest chance to find somebody", percent(one.highest)),
    row("average chance", percent(one.average)),
    one.levels && levelsOf(one.levels),
  );
}
