// Screen 7: the list before a release, the files, and the history.

import { get } from "../api.js";
import { at, el, fill, turn } from "../dom.js";
import { showHistory } from "../history.js";
import { icon } from "../icons.js";
import { start, whenDone } from "../job.js";
import { size } from "../numbers.js";
import { answerInto, field, meaning, options } from "../parts.js";
import * as plans from "../plan.js";
import { inWords } from "../reading.js";
import { forget, list, open, signed, signing, writtenAs } from "../review.js";
import { chosen, which } from "../runs.js";
import { begin, change, complain } from "../shell.js";

const ABOUT = [
  ["purpose", "What is it released for?", "For example: research on the length of stays."],
  ["controller", "Who is responsible?", "The organisation, and a person to ask."],
  ["recipients", "Who gets it?", ""],
  ["environment", "Where will it be used?", "For example: public, under contract, in a secure room."],
  ["legal_basis", "On what legal basis?", ""],
  ["period", "Which period are the data about?", "For example: 2024 and 2025."],
  [
    "earlier_releases",
    "Earlier releases about the same people",
    "Two releases together can tell more than each alone. Write none if there are none.",
  ],
  ["valid_until", "Next review by", "A date, such as 2027-11-15."],
  ["roles_confirmed_by", "Who confirmed the columns?", "Only in your report."],
  ["threshold_reasons", "Why these limits?", "For example: an internal rule. Only in your report."],
];
let run = null;
let runs = [];
let others = [];
let review = null;

function showList() {
  if (!review) return fill(at("list"), el("p", {}, "Make a version in step 5 first."));
  return fill(
    at("list"),
    list(review, () => change({ report: { earlier_releases: "none" } })),
    meaning(
      "A tick is something that we checked. Something open stops the release: settle it, or say below why you release it anyway. What to look at again does not stop you, but nobody should call the release safe because of it.",
    ),
  );
}

function showAbout() {
  const given = plans.now().plan.report ?? {};
  const one = ([key, label, help]) => field(
    `about-${key}`,
    label,
    el(
      "input",
      {
        type: "text",
        value: given[key] ?? "",
        autocomplete: "off",
        on: { change: (event) => change({ report: { [key]: event.target.value.trim() || null } }) },
      },
    ),
    help,
  );
  fill(
    at("about"),
    el("p", {}, "Your answers appear in the report. What you leave empty is printed as not stated."),
    el("div", { class: "fields" }, ABOUT.map(one)),
  );
}

function showWrite() {
  if (!review) return fill(at("write"), el("p", {}, "Make a version in step 5 first."));
  const output = plans.now().plan.output ?? {};
  const format = field(
    "format",
    "Kind of file",
    el(
      "select",
      {
        value: output.format ?? "",
        on: { change: (event) => change({ output: { format: event.target.value || null } }) },
      },
      options([["", "as the original"], ["csv", "CSV"], ["parquet", "Parquet"]]),
    ),
  );
  const folder = field(
    "folder",
    "Folder",
    el(
      "input",
      {
        type: "text",
        value: output.folder ?? "out",
        autocomplete: "off",
        on: { change: (event) => change({ output: { folder: event.target.value.trim() || null } }) },
      },
    ),
    "It is made inside the folder that you work in.",
  );
  const force = el(
    "label",
    { class: "check" },
    el("input", { type: "checkbox", id: "force" }),
    "Replace what is in that folder",
  );
  const write = el(
    "button",
    { type: "button", class: "main", id: "export", on: { click: exported } },
    icon("save"),
    open(review).length ? "Release anyway" : "Write the release",
  );
  return fill(
    at("write"),
    el("div", { class: "fields" }, format, dialect(output), folder),
    force,
    signing(review),
    el("p", { class: "buttons" }, write),
  );
}

/** How a CSV file is written: as the one that was read, or plainly. Nothing is asked where that is the same. */
function dialect(output) {
  if (!run?.dialect || !["", "csv", "csv.gz"].includes(output.format ?? "")) return null;
  const now = output.dialect ?? "input";
  const own = typeof now === "string" ? [] : [["own", "as the plan says"]];
  return field(
    "dialect",
    "How the CSV file is written",
    el(
      "select",
      {
        value: own.length ? "own" : now,
        on: { change: (event) => event.target.value !== "own" && change({ output: { dialect: event.target.value === "input" ? null : event.target.value } }) },
      },
      options([["input", "as the file was read"], ["plain", "plain CSV instead"], ...own]),
    ),
    now === "plain" ? "Commas, decimal points, ISO dates, UTF-8." : own.length ? "" : `Written as the file was read: ${inWords(run.dialect)}.`,
  );
}

/** Write the release; what the report says is taken from the plan as it is now. */
async function exported() {
  const anyway = signed(review);
  if (anyway === false) return false;
  await plans.settled();
  const [folder, format] = [at("folder").value.trim(), at("format").value];
  const more = { ...(folder && { folder }), ...(format && { format }), ...(at("force").checked && { force: true }) };
  const begun = await start("export", { run: run.id, ...more, ...(anyway && { anyway }) });
  if (!begun) await refresh(); // something has changed elsewhere: show what is open now
  return begun;
}

function showWritten(result) {
  const line = (file) => el(
    "li",
    {},
    icon("file", 18),
    el("span", {}, `${result.folder}/${file.name}`),
    el("span", { class: "end" }, size(file.size)),
  );
  const part = (title, words, files) => files.length > 0 && [
    el("h3", {}, title),
    el("p", { class: "help" }, words),
    el("ul", { class: "tree-of-files" }, files.map(line)),
  ];
  fill(
    at("written"),
    writtenAs(result.folder, review, result.signed),
    part(
      "To be handed out: public",
      "The released table, its certificate, a program that checks it, and the report for everybody.",
      result.files.filter((one) => one.public),
    ),
    part(
      "Stays with you: owner",
      "How it was made, and the report with what only you may know.",
      result.files.filter((one) => !one.public),
    ),
  );
}

function showDownloads() {
  const asked = Promise.all([get(`/api/runs/${run.id}/files`), get(`/api/runs/${run.id}/lines`)]);
  return answerInto(at("again"), asked, ([{ files }, lines]) => [
    el(
      "p",
      {},
      `${run.current ? "The plan" : "The plan of this version, which you can download below,"} makes the same release on the command line and in Python, whatever the order of the rows.`,
    ),
    el("h3", {}, "Command line"),
    el("pre", { tabindex: "0", "aria-label": "Command line" }, lines.shell),
    el("h3", {}, "Python"),
    el("pre", { tabindex: "0", "aria-label": "Python" }, lines.python),
    el("h3", {}, "Download single files"),
    !run.exported && el("p", { class: "help" }, "What may be handed out can be downloaded once it is written."),
    el("ul", { class: "tree-of-files" }, files.map(download)),
  ]);
}

const download = (file) => el(
  "li",
  {},
  icon("save", 18),
  el(
    "a",
    { href: `/api/runs/${run.id}/files/${encodeURIComponent(file.name)}`, download: file.name },
    `${file.title}: ${file.name}`,
  ),
  el("span", { class: "badge" }, file.public ? "may be handed out" : "stays with you"),
  el("span", { class: "end" }, size(file.size)),
);

async function refresh() {
  const fresh = turn(at("which"));
  const found = await chosen();
  const looked = found.run && (await get(`/api/runs/${found.run.id}/review`));
  if (!fresh()) return;
  ({ runs, others, run } = found);
  review = looked;
  fill(at("which"), which(runs, run, "/release"));
  showList();
  showAbout();
  showWrite();
  showHistory(at("history"), runs, others);
  if (run) await showDownloads();
}

whenDone("export", async (result) => {
  showWritten(result);
  forget();
  await refresh();
  at("written").scrollIntoView({ block: "nearest" });
});
await begin((plan) => plan.plan && refresh().catch(complain));
if (plans.now()?.plan && !run) await refresh().catch(complain); // begin does not wait for it
