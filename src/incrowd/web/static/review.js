// The list before a release: what is settled, what is open, what to look at again; and the reason to release anyway.

import { at, el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { field, notice } from "./parts.js";

const MARKS = {
  done: ["good", "yes", ""],
  open: ["bad", "no", "open: "],
  doubt: ["doubt", "look", "look again: "],
};
const WAYS = {
  roles: ["/columns", "Look at the columns"],
  names: ["/columns", "Look at the columns"],
  values: ["/columns", "Look at the columns"],
  plan: ["/choose", "Make a new version"],
  promise: ["/choose", "Make a new version"],
  attacked: ["/check", "Attack it"],
  found: ["/check", "See what was found"],
};
const given = { reason: "", name: "" };

/** What may be settled with one click stands beside it; `none()` says that there were no earlier releases. */
export function list(review, none) {
  const way = (one) => {
    if (one.state === "done") return null;
    if (one.name === "earlier") return el(
      "button",
      { type: "button", class: "small", id: "no-earlier", on: { click: none } },
      "There are none",
    );
    const [path, words] = WAYS[one.name] ?? [];
    const query = path === "/check" ? `?run=${review.run}` : "";
    return path && el("a", { href: `${path}${query}` }, words);
  };
  const line = (one) => {
    const [kind, mark, state] = MARKS[one.state];
    return el(
      "li",
      {},
      el("span", { class: `verdict ${kind}` }, icon(mark, 18), el("span", { class: "hidden" }, state), one.title),
      el("span", {}, `${one.words} `, way(one)),
    );
  };
  return el("ul", { class: "list" }, review.items.map(line));
}

export const open = (review) => review.items.filter((one) => one.state === "open");
export const doubts = (review) => review.items.filter((one) => one.state === "doubt");

/** Ask for a reason and a name where something is open. */
export function signing(review) {
  if (!open(review).length) return null;
  const keep = (key) => (event) => { given[key] = event.target.value; };
  const reason = el("textarea", { rows: "2", value: given.reason, maxlength: "2000", on: { input: keep("reason") } });
  const name = el(
    "input",
    { type: "text", value: given.name, maxlength: "200", autocomplete: "name", on: { input: keep("name") } },
  );
  const titles = [...new Set(open(review).map((one) => one.title))];
  return el(
    "div",
    { id: "signing" },
    notice(
      "doubt",
      `Something is open: ${titles.join(", ")}`,
      "Settle it above, or release anyway and say why. Your reason appears in both reports; your name, the date and what was open only in yours.",
    ),
    el(
      "div",
      { class: "fields" },
      field("anyway-reason", "Release anyway, because …", reason),
      field("anyway-name", "Your name", name),
    ),
    el("div", { id: "anyway-problem" }),
  );
}

/** What was written as a reason; null if nothing is open, false if something is missing, which is said. */
export function signed(review) {
  if (!open(review).length) return null;
  const [reason, name] = [given.reason.trim(), given.name.trim()];
  const items = [...new Set(open(review).map((one) => one.name))];
  if (reason.length > 2 && name.length > 1) return { reason, name, items };
  fill(
    at("anyway-problem"),
    notice("bad", "Nothing was written yet", "Say why it is released although something is open, and who decides that."),
  );
  at(reason.length > 2 ? "anyway-name" : "anyway-reason").focus();
  return false;
}

export const forget = () => Object.assign(given, { reason: "", name: "" });

/** What the finished files are called: safe only if nothing is open or doubtful. */
export function writtenAs(folder, review, record) {
  const again = doubts(review).map((one) => one.words);
  if (record) return notice(
    "doubt",
    `Written into the folder ${folder}, although something was open`,
    [`${record.released_by}: ${record.released_anyway}`, `What was open: ${record.open_items}`, ...again],
  );
  if (again.length) return notice(
    "doubt",
    `Written into the folder ${folder}. Look at this before you hand it out`,
    again,
  );
  return notice(
    "good",
    `Written into the folder ${folder}`,
    "The file meets your rules. That is no guarantee against every attack: look at it again before you publish more about the same people.",
  );
}
