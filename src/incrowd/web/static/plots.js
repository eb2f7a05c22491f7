// Small drawings of our own. What they show stands beside them in words, too.

import { draw } from "./dom.js";
import { percent } from "./numbers.js";

const WIDE = 560;
const HIGH = 260;
const EDGE = { left: 56, right: 150, top: 30, bottom: 46 };

function frame(label, xTitle, yTitle, xTicks, yTicks, inner) {
  const bottom = HIGH - EDGE.bottom;
  const right = WIDE - EDGE.right;
  const lines = yTicks.map(
    ([y, words]) => [
      draw("line", { class: "grid", x1: EDGE.left, x2: right, y1: y, y2: y }),
      draw("text", { x: EDGE.left - 6, y: y + 4, "text-anchor": "end" }, words),
    ],
  );
  const marks = xTicks.map(([x, words]) => draw("text", { x, y: bottom + 18, "text-anchor": "middle" }, words));
  const titles = [
    draw("text", { x: (EDGE.left + right) / 2, y: HIGH - 6, "text-anchor": "middle" }, xTitle),
    draw("text", { x: 6, y: 12 }, yTitle),
  ];
  return draw(
    "svg",
    { class: "plot", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label },
    lines,
    draw("line", { class: "axis", x1: EDGE.left, x2: right, y1: bottom, y2: bottom }),
    marks,
    titles,
    inner,
  );
}

const across = (value, most) => EDGE.left + (value / most) * (WIDE - EDGE.left - EDGE.right);
const upward = (value, most) => HIGH - EDGE.bottom - (value / most) * (HIGH - EDGE.top - EDGE.bottom);

const [NAME, LINE] = [110, 16]; // how wide and how high a name is

/** Versions by risk and detail. */
export function scatter(points, limit = null) {
  const most = Math.max(0.05, limit ?? 0, ...points.map((one) => one.x)) * 1.1;
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((one) => most / one <= 6) ?? 0.25;
  const far = Math.min(1, Math.ceil(most / step - 1e-9) * step);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const marks = Array.from({ length: Math.round(far / step) + 1 }, (_, place) => place * step);
  const line = limit !== null && [
    draw("line", { class: "limit", x1: across(limit, far), x2: across(limit, far), y1: EDGE.top, y2: HIGH - EDGE.bottom }),
    draw("text", { x: across(limit, far), y: EDGE.top - 8, "text-anchor": "middle" }, `limit ${percent(String(limit))}`),
  ];
  const named = []; // where names stand already: one that would cover another goes below it
  const dot = (one) => {
    const [x, y] = [across(one.x, far), upward(one.y, 1)];
    let line = y + 4;
    for (const [beside, above] of named) if (Math.abs(beside - x) < NAME && line < above + LINE) line = Math.max(line, above + LINE);
    named.push([x, line]);
    return [
      draw("circle", { class: one.on ? "dot on" : "dot", cx: x, cy: y, r: one.on ? 9 : 6 }),
      draw("text", { x: x + 13, y: line }, one.name),
    ];
  };
  const places = new Map(); // versions that are the same share one point
  for (const one of points) {
    const key = `${one.x} ${one.y}`;
    const known = places.get(key);
    places.set(
      key,
      known ? { ...known, name: `${known.name}, ${one.name.toLowerCase()}`, on: known.on || one.on } : one,
    );
  }
  const words = points.map(
    (one) => `${one.name}: highest chance ${percent(String(one.x))}, detail kept ${percent(String(one.y))}`,
  ).join("; ");
  return frame(
    `Versions by risk and detail. ${words}`,
    "highest chance to find somebody",
    "detail kept",
    marks.map((one) => [across(one, far), percent(one.toFixed(4))]),
    ticks.map((one) => [upward(one, 1), percent(String(one))]),
    [line, [...places.values()].sort((one, other) => other.y - one.y).map(dot)],
  );
}

const MARKS = [1, 2, 5, 10, 20, 50, 100, 1000, 10000, 100000];

/** What every strength of a promise costs. */
export function curve(points, chosen, name) {
  const able = points.filter((one) => one.kept !== null);
  const far = Math.log(
    Math.max(...points.map((one) => one.value), 2),
  ); // small groups matter most, so each step is a factor
  const spot = (one) => [across(Math.log(Math.max(one.value, 1)), far), upward(Math.max(Number(one.kept), 0), 1)];
  const line = able.map((one, place) => `${place ? "L" : "M"}${spot(one).join(" ")}`).join("");
  const dots = able.map(
    (one) => draw(
      "circle",
      {
        class: one.value === chosen ? "dot on" : "dot",
        cx: spot(one)[0],
        cy: spot(one)[1],
        r: one.value === chosen ? 8 : 3,
      },
    ),
  );
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return frame(
    `Detail kept for every ${name}`,
    name,
    "detail kept",
    MARKS.filter((one) => Math.log(one) <= far).map((one) => [across(Math.log(one), far), String(one)]),
    ticks.map((one) => [upward(one, 1), percent(String(one))]),
    [draw("path", { class: "line", d: line }), dots],
  );
}

const SHAPES = {
  refused: (x, y) => draw("circle", { cx: x, cy: y, r: 3.5 }),
  acceptable: (x, y) => draw("circle", { cx: x, cy: y, r: 4.5 }),
  minimal: (x, y) => draw("path", { d: `M${x - 5.5} ${y - 5}h11l-5.5 10z` }),
  chosen: (x, y) => draw("path", { d: `M${x} ${y - 8}l8 8-8 8-8-8z` }),
};

/** A sign of the lattice, for its legend. */
export const sign = (state) => draw(
  "svg",
  { class: "plot sign", viewBox: "-9 -9 18 18", width: 18, height: 18, "aria-hidden": "true" },
  draw("g", { class: state }, SHAPES[state](0, 0)),
);

const EDGES = 400;

/** Lines from every node to those that are one level vaguer in one column. */
function edges(nodes, spots) {
  if (nodes.length > EDGES) return [];
  return nodes.flatMap((one) => one.levels.map((_, place) => {
    const above = spots.get(one.levels.map((level, other) => level + (other === place ? 1 : 0)).join());
    const [x1, y1] = spots.get(one.levels.join());
    return above && draw("line", { class: "edge", x1, y1, x2: above[0], y2: above[1] });
  }));
}

/** The lattice, one row per sum of levels, exact at the bottom; `pick(node)` hears clicks, `words(node)` names one, `mark(levels)` rings a node. */
export function lattice(nodes, pick, words) {
  const rows = new Map();
  for (const one of nodes) {
    const sum = one.levels.reduce((all, level) => all + level, 0);
    rows.set(sum, [...(rows.get(sum) ?? []), one]);
  }
  const sums = [...rows.keys()].sort((one, other) => other - one);
  const high = sums.length * 26 + 20;
  const spots = new Map(sums.flatMap((sum, line) => rows.get(sum).map(
    (one, place, all) => [one.levels.join(), [30 + ((place + 0.5) * 660) / all.length, line * 26 + 20]],
  )));
  const ring = draw("circle", { class: "ring", r: 11, visibility: "hidden" });
  const drawn = nodes.map((one) => {
    const [x, y] = spots.get(one.levels.join());
    return draw(
      "g",
      { class: `node ${one.state}`, on: { click: () => pick(one) } },
      draw("circle", { class: "reach", cx: x, cy: y, r: 11 }),
      SHAPES[one.state](x, y),
      draw("title", {}, words(one)),
    );
  });
  const counts = Object.keys(SHAPES).map(
    (state) => `${nodes.filter((one) => one.state === state).length} ${state}`,
  ).join(", ");
  const mark = (levels) => {
    const [cx, cy] = spots.get(levels.join()) ?? [];
    ring.setAttribute("visibility", cx === undefined ? "hidden" : "visible");
    if (cx !== undefined) Object.entries({ cx, cy }).forEach(([key, value]) => ring.setAttribute(key, value));
  };
  const svg = draw(
    "svg",
    { class: "plot", viewBox: `0 0 700 ${high}`, role: "img", "aria-label": `The lattice of levels: ${counts}` },
    draw("text", { x: 0, y: 12 }, "vague"),
    draw("text", { x: 0, y: high - 6 }, "exact"),
    edges(nodes, spots),
    ring,
    drawn,
  );
  return { svg, mark };
}
