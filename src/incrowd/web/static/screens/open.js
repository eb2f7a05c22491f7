// Screen 1: choose a table, see how it was read, say what a row is.

import { get, post, upload } from "../api.js";
import { at, beside, el, fill, reveal, say, used } from "../dom.js";
import { icon } from "../icons.js";
import { count, counted, moment, size } from "../numbers.js";
import { experts, field, meaning, notice, options, problem, table, waiting } from "../parts.js";
import * as plans from "../plan.js";
import { repairs } from "../repairs.js";
import { begin, change, complain, quiet, tell } from "../shell.js";

const SEPARATORS = [["", "detected automatically"], [",", "comma ,"], [";", "semicolon ;"], ["\t", "tab"], ["|", "bar |"]];
const ENCODINGS = [
  ["utf-8", "UTF-8"],
  ["latin-1", "Latin-1 (Western Europe)"],
  ["cp1252", "Windows-1252 (older Excel)"],
  ["utf-16", "UTF-16"],
];

let profile = null;

async function showFiles() {
  const found = await get("/api/files");
  if (!found.files.length) return fill(
    at("files"),
    el("p", { class: "reason" }, "There is no table in the folder yet. Drop one above, or try the example."),
  );
  const one = (file, place) => el(
    "li",
    {},
    el(
      "button",
      { type: "button", id: `open-${place}`, "aria-pressed": String(file.used), on: { click: () => open(file.name) } },
      icon("file"),
      el("span", { class: "name" }, file.name),
      file.used && el("span", { class: "badge yes" }, icon("yes", 16), "open"),
      el("span", { class: "end" }, `${size(file.size)} · ${moment(file.modified)}`),
    ),
  );
  return fill(
    at("files"),
    el("ul", { class: "files", "aria-labelledby": "files-title" }, found.files.map(one)),
    found.more > 0 && el("p", { class: "reason" }, `${count(found.more)} more are not listed.`),
  );
}

/** Open a file of the folder; what is open stays in sight until it is read. */
async function open(name, more = {}) {
  const control = used();
  quiet();
  const box = beside("job", control);
  try {
    const words = "Looking at the table and its columns…";
    if (!(await waiting(box, words, (signal) => plans.open({ name, ...more }, signal), { reveals: true }))) return;
    fill(box);
    await refresh();
    at("opened-title")?.focus();
  } catch (error) {
    fill(box);
    await showFiles().catch(() => undefined);
    const again = (further) => open(name, { ...more, ...further });
    tell(problem(error, ...repairs(error, again, more)), control);
  }
}

async function send(file) {
  const control = at("upload");
  quiet();
  const ender = new AbortController();
  const bar = el("progress", { "aria-label": "Copying the file", max: "1", value: "0" });
  const words = el("p", {}, `Copying ${file.name} into the folder…`);
  const cancel = el("button", { type: "button", on: { click: () => ender.abort() } }, "Cancel");
  reveal(fill(beside("job", control), el("div", { class: "running", role: "status" }, words, bar, cancel)));
  try {
    const { max_upload: most } = await get("/api/session");
    if (file.size > most) throw {
      message: `The file is larger than ${size(most)}.`,
      hint: "Put it into the folder yourself; it then appears in the list.",
    };
    const taken = await upload(file, (sent, all) => Object.assign(bar, { max: all, value: sent }), ender.signal);
    fill(at("job"));
    await open(taken.name);
  } catch (error) {
    fill(at("job"));
    if (error.name === "AbortError") tell(notice("plain", "Cancelled.", "Nothing was copied."), control);
    else complain(error, { control });
  }
}

let shownFor = "";
let showing = Promise.resolve();

/** What decides about what is shown here: the file, and how it is read. */
function readingOf(plan) {
  const { entity, ...rest } = plan.plan?.data ?? {};
  return JSON.stringify(plan.exists && !plan.problem ? rest : null);
}

/** Show the table of the plan, also after undo, or after a change in another tab. */
function refresh() {
  const plan = plans.now();
  if (!plan.exists || plan.problem) {
    at("opened").hidden = true;
    shownFor = "";
    return showFiles();
  }
  if (shownFor !== readingOf(plan)) {
    shownFor = readingOf(plan);
    showing = shown().catch((error) => (shownFor = "", Promise.reject(error)));
  } else if (at("person") && profile) fill(at("person"), person(profile));
  return showing;
}

/** Show what was read, unless another file is opened meanwhile. */
async function shown() {
  const title = el("h2", { id: "opened-title", tabindex: "-1" }, "What we read");
  const box = el("div", { id: "read" });
  fill(at("opened"), title, box).hidden = false;
  await showFiles();
  const found = await waiting(
    box,
    "Reading the table…",
    (signal) => Promise.all([get("/api/table/profile", { signal }), get("/api/table/rows?limit=20", { signal })]),
  );
  if (!found || !box.isConnected) return;
  const rows = found[1];
  [profile] = found;
  const missing = profile.columns.reduce((sum, one) => sum + (one.missing ?? 0), 0);
  const read = `We read ${counted(profile.records, "row")} and ${counted(profile.columns.length, "column")}`;
  title.textContent = read;
  say(read);
  fill(
    box,
    doubts(profile),
    el("div", { id: "person" }, person(profile)),
    el(
      "p",
      {},
      missing ? `${counted(missing, "value")} ${missing === 1 ? "is" : "are"} missing.` : "No value is missing.",
    ),
    meaning(
      "Missing means: the cell is empty, or holds one of the marks below. Missing counts as a value of its own: people without a postcode hide among others without one.",
    ),
    table(`The first ${counted(rows.rows.length, "row")}`, rows.columns, rows.rows, { tight: true }),
    reading(profile.layout),
  );
}

/** What looks as if the file was not read as it was meant. */
function doubts({ records, columns, layout }) {
  const marks = layout.marks ?? [];
  const missing = () => [...(layout.missing ?? [""]), ...marks.map((one) => one.mark)];
  const times = marks.map((one) => `${one.mark} (${counted(one.count, "time")})`).join(", ");
  return [
    records === 0 && notice("bad", "The table has no rows.", "There are names of columns and nothing below them. Nothing can be published from it; choose another file."),
    columns.length === 1 && notice(
      "plain",
      "There is only one column. Is that right?",
      "If the cells below hold several values each, open How the file is read and say what separates them.",
    ),
    marks.length > 0 && notice(
      "plain",
      `Do these mean that a value is missing? ${times}`,
      "If so, people without a value hide among others without one. If it is a value like any other, leave it.",
      el(
        "button",
        { type: "button", id: "take-marks", on: { click: () => open(plans.now().plan.data.path, again(layout, missing())) } },
        "Yes, they mean missing",
      ),
    ),
  ];
}

function person(profile) {
  const entity = plans.now().plan?.data?.entity ?? "";
  const names = profile.columns.map((one) => one.name);
  const pick = field(
    "entity",
    "The column that says whose row it is",
    el(
      "select",
      {
        value: entity,
        on: { change: (event) => event.target.value && change({ data: { entity: event.target.value } }) },
      },
      options([["", "choose a column"], ...names.map((one) => [one, one])]),
    ),
    "For example a patient number. It is not published.",
  );
  pick.hidden = !entity;
  const radio = (value, words, act) => el(
    "label",
    { class: "check" },
    el(
      "input",
      {
        type: "radio",
        name: "person",
        id: `person-${value}`,
        value,
        checked: (value === "yes") === !entity,
        on: { change: act },
      },
    ),
    words,
  );
  return el("fieldset", { class: "ask" }, el(
    "legend",
    {},
    "Is this one row per person?",
  ), radio("yes", "Yes, every row is a different person", () => {
    pick.hidden = true;
    if (entity) change({ data: { entity: null } });
  }), radio("no", "No, a person can have several rows", () => {
    pick.hidden = false;
  }), pick);
}

/** How the file is read now, with other marks of missing values. */
function again(layout, missing) {
  const { separator, sheet, entity } = plans.now().plan.data;
  const encoding = layout.encoding ?? undefined;
  return { ...(separator ? { separator } : {}), encoding, ...(sheet ? { sheet: String(sheet) } : {}), missing, ...(entity ? { entity } : {}) };
}

function reading(layout) {
  const data = plans.now().plan.data;
  const spread = /\.(xlsx|xls|ods)$/i.test(data.path ?? "");
  const text = layout.separator !== null && layout.separator !== undefined;
  const asked = () => (
    {
      ...(text ? { separator: at("separator").value || undefined, encoding: at("encoding").value } : {}),
      ...(spread && at("sheet").value ? { sheet: at("sheet").value } : {}),
      missing: marks(at("missing").value),
      ...(data.entity ? { entity: data.entity } : {}),
    }
  );
  return experts(
    "reading",
    "How the file is read",
    el(
      "div",
      { class: "fields" },
      text && field(
        "separator",
        "Values are separated by",
        el("select", { value: data.separator ?? "" }, options(SEPARATORS)),
        `Now: ${named(layout.separator)}.`,
      ),
      text && field(
        "encoding",
        "Characters are encoded as",
        el("select", { value: layout.encoding ?? "utf-8" }, options(ENCODINGS)),
        "If letters such as ä look wrong, try another.",
      ),
      spread && field(
        "sheet",
        "Sheet",
        el("input", { type: "text", value: layout.sheet ?? "", autocomplete: "off" }),
        "Empty means the first one.",
      ),
      field(
        "missing",
        "Also treat as missing",
        el("input", { type: "text", value: (layout.missing ?? []).filter(Boolean).join(", "), autocomplete: "off" }),
        "Separate them with commas. An empty cell always counts.",
      ),
    ),
    el("button", { type: "button", id: "read-again", on: { click: () => open(data.path, asked()) } }, "Read it again"),
    el("p", { class: "help" }, "Roles and ladders are then suggested again."),
  );
}

const named = (separator) => (SEPARATORS.find(([value]) => value === separator) ?? [0, separator])[1];
const marks = (typed) => ["", ...typed.split(",").map((one) => one.trim()).filter(Boolean)];

function wireDrop() {
  const drop = at("drop");
  at("upload").addEventListener("change", (event) => event.target.files[0] && send(event.target.files[0]));
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(
    name,
    (event) => (event.preventDefault(), drop.classList.add("over")),
  );
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  });
  at("example").addEventListener("click", async () => {
    const box = beside("job", at("example"));
    try {
      const made = await waiting(box, "Making up a hospital…", (signal) => post("/api/example", {}, { signal }));
      if (!made) return;
      fill(box);
      await open(made.name);
    } catch {
      reveal(box); // the problem stands in it
    }
  });
}

wireDrop();
await begin(() => refresh().catch(complain));
await showing.catch(() => undefined); // that was told already
