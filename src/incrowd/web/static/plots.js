// Small drawings of our own. What they show stands beside them in words, too.

import { draw } from "./dom.js";
import { percent } from "./numbers.js";

const NARROW = matchMedia("(max-width: 40rem)").matches; // a telephone would make letters of a wide drawing too small
const WIDE = NARROW ? 340 : 560;
const HIGH = 260;
const EDGE = { left: 56, right: NARROW ? 24 : 150, top: 30, bottom: 46 };

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

const [SIGN, LINE] = [7, 16]; // how wide a sign and how high a line of a name is, about

/** Where a name stands beside its dot: at its height, or the nearest one above or below where it covers nothing. */
function namePlace([x, y], name, taken) {
  const wide = SIGN * name.length;
  const right = x + 13 + wide < WIDE;
  const start = right ? x + 13 : x - 13 - wide;
  const free = (middle) => middle > LINE / 2 && middle < HIGH - EDGE.bottom && taken.every(
    ([from, to, line, high]) => to <= start || from >= start + wide || Math.abs(line - middle) >= (high + LINE) / 2,
  );
  const steps = Array.from({ length: 24 }, (_, place) => Math.ceil(place / 2) * LINE * 0.5 * (place % 2 ? 1 : -1));
  const line = y + (steps.find((step) => free(y + step)) ?? 0);
  taken.push([start, start + wide, line, LINE]);
  return { x: right ? start : x - 13, line, anchor: right ? "start" : "end" };
}

/** Versions by what an intruder finds and by detail; each has a name that can be read, with a line to it where it stands apart. */
export function scatter(points) {
  const most = Math.max(0.05, ...points.map((one) => one.x)) * 1.1;
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((one) => most / one <= 6) ?? 0.25;
  const far = Math.min(1, Math.ceil(most / step - 1e-9) * step);
  const marks = Array.from({ length: Math.round(far / step) + 1 }, (_, place) => place * step);
  const places = new Map(); // versions that are the same share one point
  for (const one of points) {
    const known = places.get(`${one.x} ${one.y}`);
    const both = known && { ...known, name: `${known.name}, ${one.name.toLowerCase()}`, on: known.on || one.on };
    places.set(`${one.x} ${one.y}`, both ?? one);
  }
  const spots = [...places.values()].sort((one, other) => other.y - one.y).map((one) => [one, [across(one.x, far), upward(one.y, 1)]]);
  const taken = spots.map(([, [x, y]]) => [x - 9, x + 9, y, 18]);
  const drawn = spots.map(([one, [x, y]]) => {
    const { x: start, line, anchor } = namePlace([x, y], one.name, taken);
    const apart = Math.abs(line - y) > 4;
    return [
      apart && draw("line", { class: "leader", x1: x, y1: y, x2: start + (anchor === "end" ? 2 : -2), y2: line }),
      draw("circle", { class: one.on ? "dot on" : "dot", cx: x, cy: y, r: one.on ? 9 : 6 }),
      draw("text", { x: start, y: line + 4, "text-anchor": anchor, class: one.on ? "label on" : "label" }, one.name),
    ];
  });
  const words = points.map(
    (one) => `${one.name}: ${percent(String(one.x))} found, detail kept ${percent(String(one.y))}`,
  ).join("; ");
  return frame(
    `Versions by what an intruder finds and by detail. ${words}`,
    "found by who knows the whole table",
    "detail kept",
    marks.map((one) => [across(one, far), percent(one.toFixed(4))]),
    [0, 0.25, 0.5, 0.75, 1].map((one) => [upward(one, 1), percent(String(one))]),
    drawn,
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
