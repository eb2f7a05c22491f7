// Screen 1: choose a table, see how it was read, say what a row is.

import { get } from "../api.js";
import { at, beside, el, fill, say, used } from "../dom.js";
import { example, send, showFiles } from "../files.js";
import { counted } from "../numbers.js";
import { meaning, notice, problem, table, waiting } from "../parts.js";
import { person } from "../person.js";
import * as plans from "../plan.js";
import { FIND, marks, reading } from "../reading.js";
import { repairs } from "../repairs.js";
import { begin, complain, quiet, tell } from "../shell.js";
import { kindWords } from "../words.js";

let profile = null;

const files = () => showFiles(open, deleted);

/** Open a file of the folder; what is open stays in sight until it is read. */
async function open(name, more = {}, focus = "opened-title") {
  const control = used();
  quiet();
  const box = beside("job", control);
  try {
    const words = "Looking at the table and its columns…";
    if (!(await waiting(box, words, (signal) => plans.open({ name, ...more }, signal), { reveals: true }))) return;
    fill(box);
    await refresh();
    at(focus)?.focus();
  } catch (error) {
    fill(box);
    await files().catch(() => undefined);
    const again = (further) => open(name, { ...more, ...further }, focus);
    tell(problem(error, ...repairs(error, again, more), ...putBack(control)), control);
  }
}

/** The way back from something that the file cannot be read with. */
function putBack(control) {
  if (!control?.closest(".reading")) return [];
  const act = () => {
    quiet();
    showRead();
    at(control.id)?.focus();
  };
  return [el("button", { type: "button", id: "put-back", on: { click: act } }, "Put back what was there")];
}

const MARKS = ["decimal", "thousands"]; // what one means depends on the other: both are said, or both found out

/** Read the open file again, with what was said about it and one thing more. */
function again(change) {
  const { plan: { data }, said, about } = plans.now();
  const [[key, value]] = Object.entries(change);
  const keys = new Set([...said, ...(MARKS.includes(key) ? MARKS : [])]);
  const asked = { ...Object.fromEntries([...keys].map((one) => [one, profile.layout[one]])), ...change };
  if (value === FIND) for (const one of MARKS.includes(key) ? MARKS : [key]) delete asked[one];
  if (data.missing && !("missing" in change)) asked.missing = data.missing;
  if (data.entity && data.entity !== about.entity) asked.entity = data.entity; // what was found is found again, and stays to be checked
  return open(data.path, { ...asked, again: true }, key);
}

/** Show what is left when a file was deleted. */
async function deleted(file) {
  await files();
  if (!file.used) return;
  shownFor = "";
  const title = el("h2", { id: "opened-title", tabindex: "-1" }, "The table is deleted");
  fill(at("opened"), title, el("p", {}, "Choose another file above. The plan stays as it is until you do."));
}

let shownFor = "";
let showing = Promise.resolve();

/** What decides about what is shown here: the file, and how it is read. */
function readingOf(plan) {
  const { entity, ...rest } = plan.plan?.data ?? {};
  return JSON.stringify(plan.exists && !plan.problem ? [rest, plan.said] : null);
}

/** Show the table of the plan, also after undo, or after a change in another tab. */
function refresh() {
  const plan = plans.now();
  if (!plan.exists || plan.problem) {
    at("opened").hidden = true;
    shownFor = "";
    return files();
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
  await files();
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
    first(rows),
    el(
      "p",
      {},
      missing ? `${counted(missing, "value")} ${missing === 1 ? "is" : "are"} missing.` : "No value is missing.",
    ),
    meaning(
      "Missing means: the cell is empty, or holds one of the marks below. Missing counts as a value of its own: people without a postcode hide among others without one.",
    ),
    marks(profile.layout, again),
    el("div", { id: "how" }),
  );
  showRead();
}

const showRead = () => fill(at("how"), reading(profile.layout, plans.now().said, again));

/** The first rows of the file, and what their columns were read as. */
function first(rows) {
  const kinds = new Map(profile.columns.map((one) => [one.name, kindWords(one.kind)]));
  const heads = rows.columns.map((name) => el("span", {}, name, el("small", { class: "kind" }, kinds.get(name) ?? "")));
  return table(`The first ${counted(rows.rows.length, "row")} of the file`, heads, rows.rows, { tight: true });
}

/** What looks as if the file was not read as it was meant. */
function doubts({ records, columns }) {
  return [
    records === 0 && notice("bad", "The table has no rows.", "There are names of columns and nothing below them. Nothing can be published from it; choose another file."),
    columns.length === 1 && notice(
      "plain",
      "There is only one column. Is that right?",
      "If the cells below hold several values each, say below what separates them.",
    ),
  ];
}

async function sent(file) {
  const name = await send(file);
  if (name) await open(name);
}

function wireDrop() {
  const drop = at("drop");
  at("upload").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) await sent(file);
    event.target.value = ""; // the same file may be chosen again
  });
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(
    name,
    (event) => (event.preventDefault(), drop.classList.add("over")),
  );
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) sent(event.dataTransfer.files[0]);
  });
  at("example").addEventListener("click", async () => {
    const name = await example();
    if (name) await open(name);
  });
}

wireDrop();
await begin(() => refresh().catch(complain));
await showing.catch(() => undefined); // that was told already
