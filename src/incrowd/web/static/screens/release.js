// Screen 7: the list before a release, the files, and the history.

import { get, maybe } from "../api.js";
import { at, el, fill, turn } from "../dom.js";
import { showHistory } from "../history.js";
import { icon } from "../icons.js";
import { start, whenDone } from "../job.js";
import { size } from "../numbers.js";
import { answerInto, field, meaning, notice, options, verdict } from "../parts.js";
import * as plans from "../plan.js";
import { chosen, isCurrent, which } from "../runs.js";
import { begin, change, complain } from "../shell.js";

const ABOUT = [
  ["purpose", "What is it released for?", "For example: research on the length of stays."],
  ["controller", "Who is responsible?", "The organisation, and a person to ask."],
  ["recipients", "Who gets it?", ""],
  ["environment", "Where will it be used?", "For example: public, under contract, in a closed room."],
  ["legal_basis", "On what legal basis?", ""],
  [
    "earlier_releases",
    "Earlier releases about the same people",
    "Two releases together can tell more than each alone. Write none if there are none.",
  ],
  ["valid_until", "Look at it again before", "A date, such as 2027-11-15."],
];
let run = null;
let runs = [];
let evidence = null;
let profile = null;
const OWN = 0.5; // from this share of values that occur once, a column tells people apart by itself

function showList() {
  const plan = plans.now();
  const current = run && isCurrent(run);
  const attacked = evidence ? evidence.meets : null;
  const dropped = plan.columns.filter((one) => ["identifier", "drop"].includes(one.role)).map((one) => one.name);
  const earlier = plan.plan.report?.earlier_releases;
  const sorted = (plan.plan.output?.order ?? "sorted") === "sorted";
  const asIs = new Set(plan.columns.filter((one) => ["sensitive", "insensitive"].includes(one.role)).map((one) => one.name));
  const telling = (profile?.columns ?? []).filter(
    (one) => asIs.has(one.name) && Number(one.share_alone) > OWN,
  ).map((one) => one.name);
  const lines = [
    [
      plan.unsure.length === 0,
      "Columns confirmed",
      plan.unsure.length ? `Nobody has looked at ${plan.unsure.join(", ")} yet.` : "Somebody has looked at every column that we were not sure about.",
    ],
    [
      run ? current : false,
      "Version is up to date",
      run ? (
        current ? `Version ${run.id} was made by the plan as it is.` : "The plan has changed since. Make a new version in step 5."
      ) : "No version is made yet.",
    ],
    [
      run ? true : null,
      "Promise kept",
      run ? `${run.promise}, checked on the finished table.` : "That is measured when a version is made.",
    ],
    [attacked, "Attacked", evidence ? evidence.verdict : "Do that in step 6."],
    [
      dropped.length ? true : null,
      "Names are gone",
      dropped.length ? `Not published: ${dropped.join(", ")}.` : "No column was marked as naming a person. Is that right?",
    ],
    profile && [
      telling.length ? null : true,
      "No free text",
      telling.length ? `In ${telling.join(", ")} most people have a value of their own, and it is published as it is. Could it name somebody, or be known elsewhere?` : "No column that is published as it is has mostly values of its own.",
    ],
    [
      sorted,
      "Rows are sorted",
      sorted ? "The order of the rows tells nothing about the original order." : "The order of your table is kept, which can give people away.",
    ],
    [
      earlier ? true : null,
      "Earlier releases",
      earlier ? `You wrote: ${earlier}` : "Say below whether the same people were published before.",
    ],
  ];
  fill(
    at("list"),
    el(
      "ul",
      { class: "list" },
      lines.filter(Boolean).map(
        ([holds, name, words]) => el(
          "li",
          {},
          verdict(holds, name, `${name}: no`, `${name}: open`),
          el("span", {}, words),
        ),
      ),
    ),
    meaning(
      "A tick is something that we checked. Something open is for you to decide: you can release without it, and the report says that it was not stated.",
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
    el("p", {}, "These lines stand in the report. What you leave empty is printed as not stated."),
    el("div", { class: "fields" }, ABOUT.map(one)),
  );
}

function showWrite() {
  if (!run) return fill(at("write"), el("p", {}, "Make a version in step 5 first."));
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
    "Write the release",
  );
  return fill(at("write"), el("div", { class: "fields" }, format, folder), force, el("p", { class: "buttons" }, write));
}

/** Write the release; what the report says is taken from the plan as it is now. */
async function exported() {
  await plans.settled();
  ({ runs, run } = await chosen());
  const [folder, format] = [at("folder").value.trim(), at("format").value];
  const more = { ...(folder && { folder }), ...(format && { format }), ...(at("force").checked && { force: true }) };
  return start("export", { run: run.id, ...more });
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
    notice(
      "good",
      `Written into the folder ${result.folder}`,
      [
        "The file meets your rules. That is no guarantee against every attack: look at it again before you publish more about the same people.",
      ],
    ),
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
    el("p", {}, "The plan makes the same release on the command line and in Python, whatever the order of the rows."),
    el("h3", {}, "Command line"),
    el("pre", { tabindex: "0", "aria-label": "Command line" }, lines.shell),
    el("h3", {}, "Python"),
    el("pre", { tabindex: "0", "aria-label": "Python" }, lines.python),
    el("h3", {}, "Download single files"),
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
  const attacked = found.run && (await maybe(`/api/runs/${found.run.id}/evidence`));
  if (!fresh()) return;
  ({ runs, run } = found);
  evidence = attacked;
  fill(at("which"), which(runs, run, "/release"));
  showList();
  showAbout();
  showWrite();
  showHistory(at("history"), runs);
  if (run) await showDownloads();
}

whenDone("export", async (result) => {
  showWritten(result);
  await refresh();
  at("written").scrollIntoView({ block: "nearest" });
});
await begin((plan) => plan.plan && refresh().catch(complain));
if (plans.now()?.plan) {
  if (!run) await refresh().catch(complain); // begin does not wait for it
  profile = await get("/api/table/profile").catch(() => null);
  showList();
}
