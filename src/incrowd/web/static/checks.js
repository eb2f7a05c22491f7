// What to look at, the most dangerous first, each with the way there.

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { counted } from "./numbers.js";

const SHOWN = 8;
const WAYS = { open: "Answer in step 1", promise: "Promise something in step 3" };

/** The list. `show(column)` leads to the card of a column. */
export function checks(found, show) {
  if (!found.length) return null;
  const one = ({ column, words, screen }) => el("li", {}, el("div", { class: "check-of" }, el("span", {}, words), way(column, screen, show)));
  const list = (some, start) => el("ol", { class: "checks", start }, some.map(one));
  const rest = found.slice(SHOWN);
  return el(
    "div",
    { class: "please", id: "please" },
    el("h3", { id: "please-title", tabindex: "-1" }, icon("look"), " Please check, the most dangerous first"),
    list(found.slice(0, SHOWN), 1),
    rest.length > 0 && el(
      "details",
      { id: "more-checks" },
      el("summary", {}, `${counted(rest.length, "more", "more")}`),
      list(rest, SHOWN + 1),
    ),
  );
}

function way(column, screen, show) {
  if (WAYS[screen]) return el("a", { class: "button small", href: `/${screen}` }, WAYS[screen]);
  return el(
    "button",
    { type: "button", class: "small", on: { click: () => show(column) } },
    "Show",
    el("span", { class: "hidden" }, ` ${column}`),
  );
}
