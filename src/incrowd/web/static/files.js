// The files of the folder: listed, put in, taken out.

import { del, get, post, upload } from "./api.js";
import { at, beside, el, fill, reveal, say } from "./dom.js";
import { icon } from "./icons.js";
import { count, moment, size } from "./numbers.js";
import { notice, problem, waiting } from "./parts.js";
import * as plans from "./plan.js";
import { repairs } from "./repairs.js";
import { complain, quiet, tell } from "./shell.js";

/** List the files. `open(name)` opens one; `gone(file)` hears of one that was deleted. */
export async function showFiles(open, gone) {
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
      { type: "button", id: `open-${place}`, class: "open", "aria-pressed": String(file.used), on: { click: () => open(file.name) } },
      icon("file"),
      el("span", { class: "name" }, file.name),
      file.used && el("span", { class: "badge yes" }, icon("yes", 16), "open"),
      el("span", { class: "end" }, `${size(file.size)} · ${moment(file.modified)}`),
    ),
    file.uploaded && el(
      "button",
      { type: "button", id: `delete-${place}`, class: "quiet", on: { click: () => ask(file, place, gone) } },
      icon("bin"),
      el("span", {}, "Delete", el("span", { class: "hidden" }, ` ${file.name}`)),
    ),
  );
  return fill(
    at("files"),
    el("ul", { class: "files", "aria-labelledby": "files-title" }, found.files.map(one)),
    found.more > 0 && el("p", { class: "reason" }, `${count(found.more)} more are not listed.`),
  );
}

/** Ask before a file is deleted: nothing brings it back. */
function ask(file, place, gone) {
  const control = at(`delete-${place}`);
  const used = file.use && `The plan uses it for ${file.use}. Without it, nothing can be made by this plan, and no version can be made again.`;
  const keep = el("button", { type: "button", id: "delete-no", on: { click: () => (quiet(), control.focus()) } }, "Keep it");
  const yes = el(
    "button",
    { type: "button", id: "delete-yes", on: { click: () => remove(file, control, gone, Boolean(file.use)) } },
    icon("bin", 18),
    "Delete it",
  );
  const words = ["It is deleted from the folder, and nothing brings it back. The file that you took it from stays.", used].filter(Boolean);
  tell(notice(file.use ? "doubt" : "plain", `Delete ${file.name}?`, words, yes, keep), control);
  keep.focus();
}

async function remove(file, control, gone, anyway) {
  try {
    await plans.settled();
    await del(`/api/files?name=${encodeURIComponent(file.name)}${anyway ? "&anyway=true" : ""}`);
    quiet();
    await gone(file);
    at("files-title").focus();
    say(`${file.name} is deleted.`);
  } catch (error) {
    tell(problem(error, ...repairs(error, () => remove(file, control, gone, true), { anyway })), control);
    if (error.status === 404) await gone(file);
  }
}

/** Copy a file into the folder; give the name that it got, or nothing if it did not get there. */
export async function send(file) {
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
    return taken.name;
  } catch (error) {
    fill(at("job"));
    if (error.name === "AbortError") tell(notice("plain", "Cancelled.", "Nothing was copied."), control);
    else complain(error, { control });
    return null;
  }
}

/** Let the example be made; give its name, or nothing if that was ended. */
export async function example() {
  const box = beside("job", at("example"));
  try {
    const made = await waiting(box, "Making up a hospital…", (signal) => post("/api/example", {}, { signal }));
    if (made) fill(box);
    return made?.name ?? null;
  } catch {
    reveal(box); // the problem stands in it
    return null;
  }
}
