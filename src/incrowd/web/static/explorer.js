// A look around a version: other levels, and what another strength of the promise would cost.

import { get, post } from "./api.js";
import { figure } from "./charts.js";
import { at, calmly, el, fill } from "./dom.js";
import { start, whenDone } from "./job.js";
import { count, counted, percent } from "./numbers.js";
import { answerInto, experts, field, meaning, problem, sideBySide, verdict } from "./parts.js";
import * as plans from "./plan.js";
import { curve, lattice, sign } from "./plots.js";
import { change } from "./shell.js";
import { numbersOf } from "./runs.js";

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
    const drawn = lattice(found.nodes, (node) => pick(node));
    const asked = calmly(() => showNode(shown, run, state), 250);
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
      el("p", {}, "Every sign is one version. Click one, or turn the levels yourself, and see what it would publish."),
      el("ul", { class: "legend" }, STATES.map(([name, text]) => el("li", {}, sign(name), text))),
      drawn.svg,
      words && el("p", { class: "help" }, words),
      el("div", { class: "fields" }, sliders),
      shown,
    );
  } catch (error) {
    fill(box, problem(error));
  }
}

function slider(found, name, place, state, look) {
  const told = el("span", { class: "help" }, `level ${state[name]} of ${found.heights[name]}`);
  const turn = (event) => {
    state[name] = Number(event.target.value);
    told.textContent = `level ${state[name]} of ${found.heights[name]}`;
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
        on: { input: turn },
      },
    ),
    told,
  );
}

const showNode = (box, run, levels) => answerInto(box, post(`/api/runs/${run.id}/node`, { levels }), (found) => [
  el(
    "p",
    {},
    verdict(
      found.state !== "refused",
      "The promise would be kept",
      "The promise would not be kept: too many people would have to be left out",
    ),
  ),
  numbersOf({ ...found, kept: keptBy(found.measures?.loss), records: run.records }),
  sideBySide(found.rows, "The same records, as this version would publish them."),
]);

const keptBy = (loss) => (loss === undefined ? null : String(1 - Number(loss)));

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
        `Groups of at least ${one.value}: ${percent(one.kept)} of the detail is kept, ${count(one.suppressed)} people are left out, ${counted(one.classes, "group")}.`,
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

