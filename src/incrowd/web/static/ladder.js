// A ladder as a table: a value per row, a label per level, from exact to vague.

import { post } from "./api.js";
import { el, fill, say } from "./dom.js";
import { count } from "./numbers.js";
import { problem } from "./parts.js";

const LEVELS = 8;

/** Make groups of groups of the rows; an empty label stands for what is left of it. */
export function treeOf(rows) {
  const filled = rows.map((row) => row.reduce((line, label) => [...line, label.trim() || line.at(-1)], []));
  const grouped = (lines, level) => {
    if (level === 0) return lines.map((line) => line[0]);
    const groups = Map.groupBy ? Map.groupBy(lines, (line) => line[level]) : byLabel(lines, level);
    return Object.fromEntries([...groups].map(([label, inner]) => [label, grouped(inner, level - 1)]));
  };
  return grouped(filled, (rows[0]?.length ?? 1) - 1);
}

function byLabel(lines, level) {
  const groups = new Map();
  for (const line of lines) groups.set(line[level], [...(groups.get(line[level]) ?? []), line]);
  return groups;
}

/** The table of a column's ladder as it is, to be changed; `set(hierarchy)` hears what was made of it. */
export function ladderTable(id, column, set) {
  const box = el("div", {}, el("p", { class: "help" }, "Looking at the values…"));
  post("/api/hierarchies/preview", { column }).then(({ rows, distinct }) => {
    if (!rows.length) return fill(
      box,
      el("p", {}, `The column has ${count(distinct)} values, which are too many or too long for a table. Use a file.`),
    );
    return edited(id, box, rows[0].length > 1 ? rows : rows.map(([value]) => [value, ""]), set);
  }).catch((error) => fill(box, problem(error)));
  return box;
}

function edited(id, box, given, set) {
  let rows = given.map((row) => [...row]);
  const told = () => set({ tree: treeOf(rows) });
  const change = (more, words) => {
    rows = rows.map(more);
    drawn();
    say(words);
    told();
  };
  const cell = (line, level) => el(
    "td",
    {},
    el(
      "input",
      {
        type: "text",
        id: `${id}-${line}-${level}`,
        value: rows[line][level],
        placeholder: "as before",
        autocomplete: "off",
        "aria-label": `Level ${level} of ${rows[line][0]}`,
        on: { input: (event) => ((rows[line][level] = event.target.value), told()) },
      },
    ),
  );
  const button = (name, words, off, more, said) => el(
    "button",
    { type: "button", class: "small", id: `${id}-${name}`, disabled: off, on: { click: () => change(more, said) } },
    words,
  );
  const drawn = () => {
    const levels = rows[0].length - 1;
    const heads = ["value", ...Array.from({ length: levels }, (_, place) => `level ${place + 1}`)];
    fill(
      box,
      el("p", { class: "help" }, "Values with the same label form a group. The level above all others hides the value."),
      el(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": "A value per row, a label per level" },
        el(
          "table",
          { class: "editable" },
          el("caption", {}, "A value per row, a label per level"),
          el("thead", {}, el("tr", {}, heads.map((one) => el("th", { scope: "col" }, one)))),
          el("tbody", {}, rows.map((row, line) => el(
            "tr",
            {},
            el("th", { scope: "row" }, row[0]),
            row.slice(1).map((_, place) => cell(line, place + 1)),
          ))),
        ),
      ),
      el(
        "p",
        { class: "buttons" },
        button("add", "Add a level", levels >= LEVELS, (row) => [...row, ""], "A level was added."),
        button("less", "Remove the last level", levels < 2, (row) => row.slice(0, -1), "A level was removed."),
      ),
    );
  };
  drawn();
  told();
}
