// How the file was read: every part as it is now, found out or said, and what else it could be.

import { el } from "./dom.js";
import { counted } from "./numbers.js";
import { field, notice, options } from "./parts.js";
import * as plans from "./plan.js";

export const FIND = ""; // let it be found out from the file
const OWN = "own";

const PARTS = [
  {
    key: "separator",
    label: "Values are separated by",
    choices: [[",", "comma ,"], [";", "semicolon ;"], ["\t", "tab"], ["|", "bar |"]],
    help: "If the cells above hold several values each, choose another.",
  },
  {
    key: "encoding",
    label: "Letters are written as",
    choices: [
      ["utf-8", "UTF-8"],
      ["cp1252", "Windows-1252 (older Excel)"],
      ["latin-1", "Latin-1 (Western Europe)"],
      ["utf-16", "UTF-16"],
      ["cp1250", "Windows-1250 (Central Europe)"],
      ["cp1251", "Windows-1251 (Cyrillic)"],
      ["shift_jis", "Shift JIS (Japanese)"],
      ["gb18030", "GB 18030 (Chinese)"],
      ["big5", "Big5 (Chinese, traditional)"],
      ["euc-kr", "EUC-KR (Korean)"],
    ],
    own: "The name of the encoding, such as cp437",
    help: "If letters such as ä look wrong above, choose another.",
  },
  { key: "decimal", label: "Decimals come after a", choices: [[".", "point: 3.5"], [",", "comma: 3,5"]] },
  {
    key: "thousands",
    label: "Thousands are set apart by",
    choices: [["none", "nothing: 1234"], [".", "point: 1.234"], [",", "comma: 1,234"], [" ", "blank: 1 234"], ["'", "apostrophe: 1'234"]],
  },
  {
    key: "dates",
    label: "Days are written as",
    choices: [
      ["%Y-%m-%d", "2026-12-31 (ISO)"],
      ["%d.%m.%Y", "31.12.2026"],
      ["%d/%m/%Y", "31/12/2026 (day first)"],
      ["%m/%d/%Y", "12/31/2026 (month first)"],
      ["%Y%m%d", "20261231"],
    ],
    own: "The form, with %d for the day, %m for the month, %Y for the year",
  },
  { key: "header", label: "The first line", choices: [["true", "names the columns"], ["false", "is a row like the others"]] },
];

/** The controls. `said` names what somebody said; `again(change)` reads the file anew with one part said, or found out again. */
export function reading(layout, said, again) {
  const parts = PARTS.filter((part) => layout[part.key] !== null && layout[part.key] !== undefined).map((part) => control(part, layout, source(part.key, said), again));
  const sheet = layout.sheets?.length > 0 && sheets(layout, said.includes("sheet"), again);
  return el(
    "section",
    { class: "reading", "aria-labelledby": "reading-title" },
    el("h3", { id: "reading-title", tabindex: "-1" }, "How the file was read"),
    el("p", { class: "help" }, "Is something wrong above? Change it here: the file is then read again, and ladders are suggested anew. Roles that you confirmed stay where a column is of the same kind as before. Undo takes it back."),
    asked(),
    el("div", { class: "fields" }, sheet, parts, missing(layout, again)),
  );
}

/** What could be read otherwise. */
function asked() {
  const found = plans.now().about?.reading ?? [];
  return found.length > 0 && notice("doubt", "Please check how it was read", el("ul", { id: "asked" }, found.map((words) => el("li", {}, words))));
}

/** Where a part comes from: somebody said it, the file shows it, or nothing speaks against what is usual. */
function source(key, said) {
  if (said.includes(key)) return "As you said.";
  const shown = ["separator", "encoding"].includes(key) || plans.now().plan.data[key] !== undefined;
  return shown ? "Found out from the file." : "As usual: nothing in the file says otherwise.";
}

function control({ key, label, choices, own, help }, layout, from, again) {
  const said = from === "As you said.";
  const value = String(layout[key]);
  const known = choices.some(([one]) => one === value);
  const typed = own && el("input", {
    type: "text",
    id: `${key}-own`,
    "aria-label": own,
    placeholder: own,
    autocomplete: "off",
    spellcheck: "false",
    value: known ? "" : value,
    on: { change: (event) => event.target.value.trim() && again({ [key]: event.target.value.trim() }) },
  });
  if (typed) typed.hidden = known;
  const act = (event) => {
    if (typed) typed.hidden = event.target.value !== OWN;
    if (event.target.value === OWN) return typed.focus();
    return again({ [key]: key === "header" && event.target.value !== FIND ? event.target.value === "true" : event.target.value });
  };
  const all = [...choices, ...(own ? [[OWN, "another one…"]] : known ? [] : [[value, value]]), ...(said ? [[FIND, "find out from the file"]] : [])];
  const select = el("select", { value: known || !own ? value : OWN, on: { change: act } }, options(all));
  const made = field(key, label, select, [from, help && el("span", { class: "help" }, help)]);
  if (typed) select.after(typed);
  return made;
}

function sheets(layout, said, again) {
  const names = layout.sheets.map((one) => [one, one]);
  const select = el("select", { value: layout.sheet ?? names[0][0], on: { change: (event) => again({ sheet: event.target.value }) } }, options(names));
  const words = layout.sheets.length === 1 ? "The only one in the file." : said ? "As you said." : "The first one.";
  return field("sheet", "Sheet", select, words);
}

/** What means that a value is missing, besides what is asked about above. */
function missing(layout, again) {
  const marks = (typed) => ["", ...new Set(typed.split(",").map((one) => one.trim()).filter(Boolean))];
  const input = el("input", {
    type: "text",
    value: (layout.missing ?? []).filter(Boolean).join(", "),
    autocomplete: "off",
    on: { change: (event) => again({ missing: marks(event.target.value) }) },
  });
  return field("missing", "Also treat as missing", input, "Separate them with commas. An empty cell always counts.");
}

/** Ask which of the marks that were found mean that a value is missing; none is taken to be, unless somebody says so. */
export function marks(layout, again) {
  const found = layout.marks ?? [];
  if (!found.length) return null;
  const chosen = () => [...document.querySelectorAll("#marks input:checked")].map((one) => one.value);
  const button = el(
    "button",
    { type: "button", id: "take-marks", disabled: true, on: { click: () => again({ missing: [...(layout.missing ?? [""]), ...chosen()] }) } },
    "Read it again with these",
  );
  const one = ({ mark, count, columns }, place) => el(
    "label",
    { class: "check" },
    el("input", { type: "checkbox", id: `mark-${place}`, value: mark, on: { change: () => { button.disabled = !chosen().length; } } }),
    el("span", {}, el("code", {}, mark), ` means missing (${counted(count, "time")} in ${counted(columns, "column")})`),
  );
  return el(
    "fieldset",
    { class: "ask", id: "marks" },
    el("legend", {}, "Do these mean that a value is missing?"),
    el("p", { class: "help" }, "If so, people without a value hide among others without one. If it is a value like any other, leave it."),
    found.map(one),
    el("p", { class: "buttons" }, button),
  );
}

/** How a file is written, in words; what is as in every CSV file is not said. */
export function inWords({ separator, encoding, decimal, dates }) {
  const words = (key, value) => {
    const { choices } = PARTS.find((part) => part.key === key);
    return (choices.find(([one]) => one === value) ?? [0, value])[1];
  };
  return [
    separator !== "," && `separated by ${{ ";": "semicolons", "\t": "tabs", "|": "bars" }[separator] ?? separator}`,
    decimal === "," && "decimal comma",
    dates && `days as ${words("dates", dates)}`,
    encoding !== "utf-8" && words("encoding", encoding),
  ].filter(Boolean).join(", ") || "separated by commas, UTF-8";
}
