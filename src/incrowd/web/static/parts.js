// Parts that several screens are made of.

import { draw, el, fill, reveal, turn } from "./dom.js";
import { icon } from "./icons.js";
import { count, counted } from "./numbers.js";
import { reload, repairs } from "./repairs.js";

/** The line under a number. */
export const meaning = (words) => el(
  "details",
  { class: "meaning" },
  el("summary", {}, "What does this mean?"),
  el("p", {}, words),
);

/** A number with its name and what it means. */
export const fact = (number, name, words) => el(
  "div",
  { class: "fact" },
  el("p", { class: "big" }, number),
  el("p", { class: "name" }, name),
  words && meaning(words),
);

/** Good or bad, as icon and word. */
export function verdict(holds, yes = "holds", no = "does not hold", open = undefined) {
  const kind = holds === null || holds === undefined ? "open" : holds ? "good" : "bad";
  const word = kind === "open" ? (open ?? "not checked") : holds ? yes : no;
  return el("span", { class: `verdict ${kind}` }, icon(kind === "open" ? "info" : holds ? "yes" : "no", 18), word);
}

/** A message: kind is good, bad, doubt or plain. */
export function notice(kind, title, words, ...actions) {
  const mark = { good: "yes", bad: "look", doubt: "look", plain: "info" }[kind];
  const body = el(
    "div",
    {},
    el("p", {}, el("strong", {}, title)),
    words && [words].flat().map((one) => (typeof one === "string" ? el("p", {}, one) : one)),
  );
  if (actions.length) body.append(el("p", { class: "buttons" }, ...actions));
  return el("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, icon(mark, 24), body);
}

/** An error of the server as a message, with what would help. */
export function problem(error, ...actions) {
  const others = (error.problems || []).slice(1);
  const more = others.length > 0 && el("ul", {}, others.map((one) => el("li", {}, one.message)));
  return notice("bad", error.message, [error.hint, more].filter(Boolean), ...actions);
}

/** Fill a box with what `show` makes of an answer, or with the problem. What a newer question overtook is dropped. Gives whether the answer is there. */
export async function answerInto(box, answer, show) {
  const fresh = turn(box);
  try {
    const found = await answer;
    if (fresh()) fill(box, show(found));
    return fresh();
  } catch (error) {
    if (fresh()) fill(box, problem(error, ...repairs(error)));
    return false;
  }
}

/** A table of texts. A null is a missing value. The first `heads` columns head their rows. */
export function table(caption, columns, rows, { heads = 0, marked = () => "", tight = false } = {}) {
  const cell = (value, place, row) => {
    const tag = place < heads ? "th" : "td";
    const inner = value === null || value === undefined ? el("span", { class: "missing" }, "missing") : value;
    return el(tag, { scope: tag === "th" ? "row" : null, class: marked(row, place) || null }, inner);
  };
  const head = el("thead", {}, el("tr", {}, columns.map((one) => el("th", { scope: "col" }, one))));
  const body = el("tbody", {}, rows.map((row) => el("tr", {}, row.map((value, place) => cell(value, place, row)))));
  return el(
    "div",
    { class: tight ? "wide tight" : "wide", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), head, body),
  );
}

/** Horizontal bars, each with its name and its number in words. */
export function bars(rows) {
  return el("ul", { class: "bars" }, rows.map(({ name, share, words, strong }) => {
    const bar = el("span", { class: strong ? "full strong" : "full" });
    bar.style.width = `${Math.max(Math.min(share, 1) * 100, share > 0 ? 0.8 : 0)}%`;
    return el(
      "li",
      {},
      el("span", { class: "name" }, name),
      el("span", { class: "track", "aria-hidden": "true" }, bar),
      el("span", { class: "words" }, words),
    );
  }));
}

/** A small histogram; what it shows stands in its label. */
export function histogram(given, words) {
  const most = Math.max(1, ...given.map((one) => one.count));
  const wide = 100 / Math.max(given.length, 1);
  const one = (bar, place) => {
    const high = (bar.count / most) * 38;
    return draw(
      "rect",
      { x: place * wide + 0.6, y: 40 - high, width: Math.max(wide - 1.2, 0.5), height: high, rx: 0.6 },
      draw("title", {}, `${bar.label}: ${count(bar.count)}`),
    );
  };
  return draw(
    "svg",
    { class: "histogram", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": words },
    given.map(one),
  );
}

/** A label, its control, and a line that helps. */
export function field(id, label, control, help) {
  control.id = id;
  if (help) control.setAttribute("aria-describedby", `${id}-help`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    control,
    help && el("span", { class: "help", id: `${id}-help` }, help),
  );
}

export const options = (pairs) => pairs.map(([value, words]) => el("option", { value }, words));

/** What experts may open. */
export const experts = (id, title, ...inner) => el(
  "details",
  { class: "experts", id },
  el("summary", {}, title),
  el("div", { class: "inner" }, ...inner),
);

/** Show that we wait, if it lasts; give what comes, or null if it was ended. `act` gets a signal. */
export async function waiting(box, words, act, { reveals = false } = {}) {
  const ender = new AbortController();
  const timer = setTimeout(() => {
    const cancel = el("button", { type: "button", class: "small", on: { click: () => ender.abort() } }, "Cancel");
    fill(
      box,
      el(
        "div",
        { class: "waiting", role: "status" },
        el("p", {}, words),
        el("progress", { "aria-label": words }),
        cancel,
      ),
    );
    if (reveals) reveal(box);
  }, 250);
  try {
    return await act(ender.signal);
  } catch (error) {
    if (error.name !== "AbortError") {
      fill(box, problem(error, ...repairs(error)));
      throw error;
    }
    fill(box, notice("plain", "Cancelled.", "", reload()));
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The first rows of a table before and after. */
export function sideBySide(rows, words) {
  if (!rows || !rows.columns) return null;
  const changed = new Set();
  const gone = (row) => row ?? rows.columns.map((_, place) => (place ? "" : "left out"));
  rows.after.forEach(
    (row, line) => row?.forEach(
      (value, place) => value !== rows.before[line]?.[place] && changed.add(`${line}:${place}`),
    ),
  );
  const one = (title, data, marks) => {
    const lines = data.map((row, line) => Object.assign([...gone(row)], { line }));
    return el(
      "div",
      {},
      table(
        title,
        rows.columns,
        lines,
        { marked: (row, place) => (marks && changed.has(`${row.line}:${place}`) ? "changed" : ""), tight: true },
      ),
    );
  };
  return el(
    "div",
    {},
    el("p", {}, words),
    el(
      "div",
      { class: "sides" },
      one(`Before: ${counted(rows.before.length, "record")}`, rows.before, false),
      one("After: the same records; what changed is underlined", rows.after, true),
    ),
  );
}
