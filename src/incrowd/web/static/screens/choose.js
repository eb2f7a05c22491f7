// Screen 5: what several searches would publish, one of them made, and a look around it.

import { card, columnsTable, foundBy, keepers } from "../alternatives.js";
import { get, maybe } from "../api.js";
import { at, el, fill, turn } from "../dom.js";
import { explorer } from "../explorer.js";
import { running, start, whenDone } from "../job.js";
import { percentOf, seconds, shareOf } from "../numbers.js";
import { answerInto, experts, field, meaning, notice, options, problem, sideBySide } from "../parts.js";
import * as plans from "../plan.js";
import { scatter } from "../plots.js";
import { repairs } from "../repairs.js";
import { chosen, isCurrent, numbersOf, shortfalls } from "../runs.js";
import { begin, change, complain } from "../shell.js";
import { MEANS } from "../words.js";

const MEASURES = [
  ["loss", "detail lost (recommended)"],
  ["entropy", "entropy"],
  ["precision", "precision"],
  ["height", "number of steps"],
  ["discernibility", "discernibility"],
  ["aecs", "average group size"],
];
const WEIGHING = new Set(["optimal", "incognito", "samarati"]); // the others have a measure of their own
let searches = [];
let picked = null; // nobody has picked one: that of the plan, or else the recommended one
let found = null; // what was computed last, if it belongs to the plan as it is now
let weighing = false; // a column was kept, and what that does is being computed

/** Show what was computed last, if it belongs to the plan as it is now; also by another tab. */
async function look() {
  const fresh = turn(at("versions"));
  const kept = await maybe("/api/alternatives");
  if (!fresh() || weighing) return found;
  found = kept?.current ? kept : null;
  if (running() !== "alternatives") show();
  return found;
}

async function compute() {
  if (found) at("versions").classList.add("stale");
  else fill(
    at("versions"),
    el("p", { class: "help" }, "Versions of your table are being computed. You may look around meanwhile."),
  );
  await start("alternatives");
}

/** Weigh a column in the plan, and show what that does. */
async function keep(body) {
  weighing = true;
  if (await change(body)) await compute();
  else weighing = false;
}

function show() {
  at("versions").classList.remove("stale");
  if (!found) return fill(
    at("versions"),
    el("p", {}, "The versions for this plan are not computed yet."),
    el("button", { type: "button", class: "main", id: "compute", on: { click: compute } }, "Compute versions"),
  );
  const able = found.alternatives.filter((one) => one.possible);
  const likely = [picked, found.recommended].map((name) => able.find((one) => one.name === name));
  picked = [...likely, able[0]].find(Boolean)?.name ?? null;
  const marksOf = ({ name }) => ({
    picked: name === picked,
    recommended: name === found.recommended,
    planned: name === found.planned,
    weighted: found.important.length > 0,
  });
  return fill(
    at("versions"),
    able.length > 0 && el("p", {}, "We recommend ", el("b", {}, titleOf(found.recommended)), `: ${found.because}.`),
    keepers(plans.now().columns.filter((one) => one.role === "quasi").map(({ name }) => weightOf(name)), keep),
    el(
      "fieldset",
      {},
      el("legend", { class: "hidden" }, "Versions"),
      el("div", { class: "picks roomy" }, found.alternatives.map((one) => card(one, marksOf(one), () => pick(one.name)))),
    ),
    [hindered()].filter(Boolean).map((one) => problem(one.problem, ...repairs(one.problem, compute))),
    found.notes.length > 0 && notice("plain", "Good to know", found.notes),
    able.length > 0 && el(
      "p",
      { class: "buttons" },
      el(
        "button",
        { type: "button", class: "main", id: "make", on: { click: make } },
        `Make this version: ${titleOf(picked).toLowerCase()}`,
      ),
      el("button", { type: "button", id: "compute", on: { click: compute } }, "Compute again"),
    ),
    able.length > 0 && experts("left-of-columns", "What becomes of each column", columnsTable(able)),
    able.length > 1 && able.every((one) => one.linkage !== null) && el(
      "figure",
      {},
      scatter(able.map((one) => ({ name: one.title, x: foundBy(one), y: Number(one.kept), on: one.name === picked }))),
      el(
        "figcaption",
        {},
        "Further up is more detail, further to the left is safer. All of them keep your promise.",
        meaning(`${MEANS.kept} ${MEANS.found}`),
      ),
    ),
  );
}

/** What the plan asks for, or else one level per column, if that is not possible: what would help is worth a word. */
const hindered = () => [found.planned, "best node"].map(
  (name) => found.alternatives.find((one) => one.name === name && !one.possible),
).find(Boolean);

const weightOf = (name) => ({ name, importance: plans.now().plan.columns[name]?.importance });

function pick(name) {
  picked = name;
  show();
}

const titleOf = (name) => found.alternatives.find((one) => one.name === name)?.title ?? "";

/** Put the chosen search into the plan and make its version. */
async function make() {
  const one = found.alternatives.find((other) => other.name === picked);
  if (one.name !== found.planned && !(await change({ search: { algorithm: one.algorithm } }))) return;
  await start("run", { label: one.title });
}

async function showRun(focus = false) {
  const box = at("made");
  const fresh = turn(box);
  const { run } = await chosen();
  if (!run || !fresh()) return;
  box.hidden = false;
  const shown = await answerInto(box, get(`/api/runs/${run.id}`), (found) => [
    el("h2", { id: "made-title", tabindex: "-1" }, `Version ${run.id}${run.label ? `: ${run.label}` : ""}`),
    isCurrent(run) ? notice(
      "good",
      "This version keeps the promise",
      [
        `${run.promise}. It was checked again on the finished table.`,
        `${proofOf(run)} It took ${seconds(run.seconds)}.`,
      ],
    ) : notice("plain", "The plan has changed since this version was made.", "Make a new one above to see what the change does."),
    found.notes?.length > 0 && notice("plain", "Good to know", found.notes),
    shortfalls(run),
    numbersOf(run),
    el("h3", {}, "Before and after"),
    sideBySide(
      found.rows,
      "The first records of your table, and what is published of them. Columns that name people are gone.",
    ),
    experts(
      "why",
      "Why not better? The whole explanation",
      el("pre", { class: "words", tabindex: "0", "aria-label": "Explanation" }, found.explain),
    ),
    explorer(found),
    isCurrent(run) && el(
      "p",
      { class: "buttons" },
      el("a", { class: "button main", href: `/check?run=${run.id}` }, "Check this version"),
    ),
  ]);
  if (focus && shown) at("made-title").focus();
}

const proofOf = (run) => (
  run.proof === "optimal" ? "By the geometric mean of losses, the measure of the search, no version with one level per column is better: that is proven." : "It is the best that was found; a better one may exist."
);

function showExperts() {
  const { search, privacy } = plans.now().plan;
  const given = typeof search?.algorithm === "object" ? search.algorithm.name : (search?.algorithm ?? "levels-and-cells");
  const known = searches.some((one) => one.name === given) ? searches : [
    ...searches,
    { name: given, title: given, words: "" },
  ];
  const words = known.find((one) => one.name === given)?.words ?? "";
  const share = el(
    "input",
    {
      type: "range",
      min: "0",
      max: "30",
      step: "0.5",
      value: percentOf(privacy.max_suppressed ?? "0"),
      on: {
        input: (event) => { at("slide-words").textContent = `${event.target.value} %`; },
        change: (event) => change(
          { privacy: { max_suppressed: shareOf(event.target.value), max_suppressed_records: null } },
        ),
      },
    },
  );
  fill(
    at("more"),
    experts(
      "search",
      "For experts: how it is searched",
      el(
        "div",
        { class: "fields" },
        field(
          "algorithm",
          "Search",
          el(
            "select",
            {
              value: given,
              on: {
                change: (event) => change(
                  { search: { algorithm: event.target.value, measure: null, balance: null, seconds: null } },
                ),
              },
            },
            options(known.map((one) => [one.name, one.title])),
          ),
          words,
        ),
        WEIGHING.has(given) && field(
          "measure",
          "Lose as little as possible of",
          el(
            "select",
            {
              value: search?.measure ?? "loss",
              on: { change: (event) => change({ search: { measure: event.target.value } }) },
            },
            options(MEASURES),
          ),
        ),
        given === "optimal" && field(
          "seconds",
          "Seconds that it may take",
          el(
            "input",
            {
              type: "text",
              inputmode: "decimal",
              value: search?.seconds ?? "",
              placeholder: "until it is proven",
              on: { change: (event) => change({ search: { seconds: event.target.value.trim() || null } }) },
            },
          ),
          "It then keeps the best so far.",
        ),
        el(
          "p",
          { class: "field" },
          el("label", { for: "slide" }, "People who may be left out"),
          Object.assign(share, { id: "slide" }),
          el("span", { class: "help", id: "slide-words" }, `${percentOf(privacy.max_suppressed ?? "0")} %`),
        ),
      ),
      el(
        "button",
        { type: "button", id: "run-plan", on: { click: () => start("run") } },
        "Search with the plan as it is",
      ),
    ),
  );
}

function render(plan) {
  if (!plan.exists || plan.problem) return;
  if (!running()) look().catch(complain);
  showExperts();
  showRun().catch(complain);
}

whenDone("alternatives", (result) => {
  turn(at("versions")); // whoever asked earlier heard of older ones
  [found, picked, weighing] = [result, null, false];
  show();
});
whenDone("run", (_, job) => {
  if (location.search) history.replaceState(null, "", location.pathname);
  show();
  showRun(true).catch(complain);
  return job;
});
document.addEventListener("job-ended", () => {
  weighing = false;
  if (plans.now()?.plan) show();
});

const last = await begin(render);
if (plans.now()?.plan) {
  searches = await get("/api/searches").catch(() => []);
  showExperts();
  const { run } = await chosen().catch(() => ({ run: null }));
  if (running()) fill(at("versions"), el("p", { class: "help" }, "Work is under way, see above."));
  else if (last?.state === "running") show(); // it ended meanwhile
  else if (!(await look()) && !(run && isCurrent(run))) await compute();
}
