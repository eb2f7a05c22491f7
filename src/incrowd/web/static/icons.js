// Small drawings on a grid of 24. They take the colour of the text beside them and are hidden from screen readers:
// a word always stands beside them.

import { draw } from "./dom.js";

const PATHS = {
  yes: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12.5l2.8 2.8L16 9.5",
  no: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6m0-6-6 6",
  look: "M12 4 2.5 20h19zM12 10v5M12 17.5v.1",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7.5v.1",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h6l2 2h10v11H3z",
  star: "m12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8z",
  up: "M12 19V5m-6 6 6-6 6 6",
  down: "M12 5v14m6-6-6 6-6-6",
  right: "M5 12h14m-6-6 6 6-6 6",
  person: "M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21v-1a8 8 0 0 1 16 0v1",
  eye: "M2 12s3.5-6.5 10-6.5S22 12 22 12s-3.5 6.5-10 6.5S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  leaf: "M5 19c0-9 5-14 15-14 0 10-5 14-12 14-1 0-3-.5-3-.5zM5 19l7-7",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9s.5-6 3.5-9z",
  pen: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  house: "m3 11 9-8 9 8M6 9v11h12V9M10 20v-6h4v6",
  save: "M12 4v11m-5-5 5 5 5-5M4 16v4h16v-4",
};

export function icon(name, size = 20, given = {}) {
  const frame = {
    class: "icon",
    viewBox: "0 0 24 24",
    width: size,
    height: size,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 2,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true",
    focusable: "false",
    ...given,
  };
  return draw("svg", frame, draw("path", { d: PATHS[name] }));
}

/** A crowd of people with one of them marked; the words say the same. */
export function crowd(people) {
  const shown = Math.min(Math.max(people, 1), 60);
  const wide = Math.min(shown, shown > 20 ? 12 : 6);
  const rows = Math.ceil(shown / wide);
  const one = (place) => {
    const x = (place % wide) * 16 + 8;
    const y = Math.floor(place / wide) * 24;
    const kind = place === Math.min(Math.floor(wide / 2), shown - 1) ? "me" : "other";
    return draw(
      "g",
      { class: kind },
      draw("circle", { cx: x, cy: y + 6, r: 4 }),
      draw("path", { d: `M${x - 6} ${y + 20}a6 7.5 0 0 1 12 0z` }),
    );
  };
  const words = `One person in a crowd of ${people}`;
  return draw(
    "svg",
    { class: "crowd", viewBox: `0 0 ${wide * 16} ${rows * 24}`, role: "img", "aria-label": words },
    Array.from({ length: shown }, (_, place) => one(place)),
  );
}
