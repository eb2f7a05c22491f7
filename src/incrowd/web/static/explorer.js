// A look around a version: other levels, and what another strength of the promise would cost.

import { levelWords } from "./alternatives.js";
import { get, post } from "./api.js";
import { figure } from "./charts.js";
import { at, calmly, el, fill } from "./dom.js";
import { start, whenDone } from "./job.js";
import { count, counted, percent } from "./numbers.js";
import { answerInto, experts, field, meaning, problem, sideBySide, verdict } from "./parts.js";
import * as plans from "./plan.js";
import { curve, lattice, sign } from "./plots.js";
import { repairs } from "./repairs.js";
import { isCurrent, numbersOf } from "./runs.js";
import { change } from "./shell.js";

const STATES = [
  ["chosen", "this version"],
  ["minimal", "promise kept, and no finer one below keeps it"],
  ["acceptable", "promise kept"],
  ["refused", "promise not kept"],
];

export function explorer(run) {
  const around = el("div", { id: "around" });
  const frontier = el("div", { id: "frontier" });
  const details = run.levels && experts("other-levels", "Look around: other levels", around);
  details?.addEventListener("toggle", () => details.open && !around.childElementCount && showLattice(around, run));
  const groups = !run.levels && experts("partition", "Look around: the groups", partition(run));
  return el(
    "div",
    {},
    details,
    groups,
    experts("other-strengths", "Look around: larger and smaller crowds", frontierForm(frontier), frontier),
  );
}

async function showLattice(box, run) {
  fill(box, el("p", { class: "help" }, "Looking at other versions…"));
  try {
    const found = await get(`/api/runs/${run.id}/nodes`);
    const shown = el("div", { id: "node", "aria-live": "polite" });
    const state = { ...found.chosen };
    const named = ({ levels, state: kind }) => `${found.quasi.map(
      (name, place) => `${name}: ${levelWords(found.samples[name], levels[place])}`,
    ).join(", ")}. ${STATES.find(([one]) => one === kind)[1]}`;
    const drawn = lattice(found.nodes, (node) => pick(node), named);
    const asked = calmly(() => showNode(shown, run, state, found.heights), 250);
    const look = () => {
      drawn.mark(found.quasi.map((name) => state[name]));
      asked();
    };
    const sliders = found.quasi.map((name, place) => slider(found, name, place, state, look));
    const pick = (node) => {
      found.quasi.forEach((name, place) => {
        state[name] = node.levels[place];
        at(`turn-${place}`).value = node.levels[place];
        at(`turn-${place}`).dispatchEvent(new Event("input"));
      });
    };
    const words = found.more > 0 ? `${count(found.more)} more are not drawn: there are too many.` : "";
    fill(
      box,
      el("p", {}, "Every sign is one combination of levels. Click one, or set the levels yourself, and see what it would publish."),
      el("ul", { class: "legend" }, STATES.map(([name, text]) => el("li", {}, sign(name), text))),
      drawn.svg,
      words && el("p", { class: "help" }, words),
      el("div", { class: "fields" }, sliders),
      shown,
    );
  } catch (error) {
    fill(box, problem(error, ...repairs(error)));
  }
}

function slider(found, name, place, state, look) {
  const words = () => `${levelWords(found.samples[name], state[name])} (level ${state[name]} of ${found.heights[name]})`;
  const told = el("span", { class: "help", id: `turn-words-${place}` }, words());
  const turn = (event) => {
    state[name] = Number(event.target.value);
    told.textContent = words();
    look();
  };
  return el(
    "p",
    { class: "field" },
    el("label", { for: `turn-${place}` }, name),
    el(
      "input",
      {
        type: "range",
        id: `turn-${place}`,
        min: "0",
        max: String(found.heights[name]),
        step: "1",
        value: String(state[name]),
        "aria-describedby": `turn-words-${place}`,
        on: { input: turn },
      },
    ),
    told,
  );
}

/** Put the levels into the plan and make this version. */
async function take(levels, heights) {
  const fixed = ([name, level]) => [name, { at_least: level || null, at_most: level === heights[name] ? null : level }];
  if (!(await change({ columns: Object.fromEntries(Object.entries(levels).map(fixed)) }))) return;
  await start("run", { label: "Your own levels" }, at("made-title"));
}

/** A way to take a version that keeps the promise; none where the plan has changed since. */
function taking(found, run, heights) {
  const same = Object.entries(run.levels).every(([name, level]) => found.levels[name] === level);
  if (found.state === "refused" || same || !isCurrent(run)) return null;
  return el(
    "p",
    { class: "buttons" },
    el(
      "button",
      { type: "button", class: "main", id: "take", on: { click: () => take(found.levels, heights) } },
      "Take this version",
    ),
    el("span", { class: "help" }, "The plan then asks for exactly these levels. You can change that in step 4."),
  );
}

const showNode = (box, run, levels, heights) => answerInto(box, post(`/api/runs/${run.id}/node`, { levels }), (found) => [
  el(
    "p",
    {},
    verdict(
      found.state !== "refused",
      "The promise would be kept",
      "The promise would not be kept: too many people would have to be left out",
    ),
  ),
  taking(found, run, heights),
  numbersOf({ ...found, records: run.records }),
  sideBySide(found.rows, "The same records, as this version would publish them."),
]);

/** A local recoding has no lattice; its groups are drawn by the server. */
function partition(run) {
  const box = el(
    "div",
    {},
    el(
      "p",
      {},
      `Every group has levels of its own: ${counted(run.classes, "group")}, the smallest of ${count(run.smallest)} people.`,
    ),
  );
  get(`/api/runs/${run.id}/charts`).then((charts) => {
    const one = charts.find((chart) => chart.name.startsWith("rectangles")) ?? charts[0];
    if (one) box.append(figure(run, one));
  }).catch(() => undefined);
  return box;
}

function frontierForm(box) {
  whenDone("frontier", (result) => showFrontier(box, result));
  return el(
    "p",
    {},
    "What would a larger or a smaller crowd cost? ",
    el(
      "button",
      { type: "button", id: "draw-frontier", on: { click: () => start("frontier", { by: "k" }) } },
      "Compute for every group size",
    ),
  );
}

/** The promises of the plan with another group size. */
const withK = (k) => [`k>=${k}`, ...plans.promises().filter((one) => !/^\s*k\s*>=/.test(one))];

function showFrontier(box, found) {
  const able = found.points.filter((one) => one.kept !== null);
  if (!able.length) return fill(box, el("p", {}, "No group size is possible within these limits."));
  const now = Number(/^\s*k\s*>=\s*(\d+)/.exec(plans.promises().find((one) => /^\s*k\s*>=/.test(one)) ?? "")?.[1] ?? 1);
  const state = { place: Math.max(able.findIndex((one) => one.value >= now), 0) };
  const shown = el("div", { "aria-live": "polite" });
  const redraw = () => {
    const one = able[state.place];
    const use = el(
      "button",
      { type: "button", class: "small", on: { click: () => change(() => ({ privacy: { promise: withK(one.value) } })) } },
      `Promise groups of ${one.value}`,
    );
    fill(
      shown,
      curve(found.points, one.value, "people in a group (k)"),
      el(
        "p",
        {},
        `Groups of at least ${one.value}: ${percent(one.kept)} of the detail is kept, ${count(one.suppressed)} ${plans.leftOut()} are left out, ${counted(one.classes, "group")}.${found.beside ? ` Your other promises are kept too: ${found.beside}.` : ""}`,
      ),
      use,
    );
  };
  const pick = field(
    "over-k",
    "Group size",
    el(
      "input",
      {
        type: "range",
        min: "0",
        max: String(able.length - 1),
        step: "1",
        value: String(state.place),
        on: { input: (event) => ((state.place = Number(event.target.value)), redraw()) },
      },
    ),
  );
  redraw();
  at("other-strengths").open = true;
  return fill(
    box,
    pick,
    shown,
    meaning(
      "Each point is the best version for this group size, with the same limits otherwise. The curve falls where larger crowds cost detail.",
    ),
  );
}

