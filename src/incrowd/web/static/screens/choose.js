// Screen 5: three versions, one of them made, and a look around it.

import { get, maybe } from "../api.js";
import { at, el, fill, turn } from "../dom.js";
import { explorer } from "../explorer.js";
import { running, start, whenDone } from "../job.js";
import { percentOf, seconds, shareOf } from "../numbers.js";
import { answerInto, experts, field, meaning, notice, options, sideBySide } from "../parts.js";
import * as plans from "../plan.js";
import { scatter } from "../plots.js";
import { proposal, takeSamples } from "../proposals.js";
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
let versions = null;

/** Show the versions that were computed last, if they belong to the plan as it is now; also by another tab. */
async function look() {
  const fresh = turn(at("versions"));
  const kept = await maybe("/api/proposals");
  if (!fresh()) return versions;
  versions = kept?.current ? kept.proposals : null;
  takeSamples(kept?.samples);
  if (running() !== "proposals") showProposals();
  return versions;
}

async function propose() {
  fill(
    at("versions"),
    el("p", { class: "help" }, "Three versions of your table are being computed. You may look around meanwhile."),
  );
  await start("proposals");
}

function showProposals() {
  if (!versions) return fill(
    at("versions"),
    el("p", {}, "The three versions for this plan are not computed yet."),
    el("button", { type: "button", class: "main", id: "propose", on: { click: propose } }, "Compute three versions"),
  );
  const middle = versions.find((one) => one.name === "balanced");
  const able = versions.filter((one) => one.possible);
  const likely = [able.find((one) => one.name === picked), able.find(isPlanned), able.find((one) => one === middle), able[0]];
  picked = likely.find(Boolean)?.name ?? null;
  return fill(
    at("versions"),
    el(
      "fieldset",
      {},
      el("legend", { class: "hidden" }, "Three versions"),
      el(
        "div",
        { class: "picks" },
        versions.map((one) => proposal(one, middle, one.name === picked, () => pick(one.name), isPlanned(one))),
      ),
    ),
    able.length > 0 && el(
      "p",
      { class: "buttons" },
      el(
        "button",
        { type: "button", class: "main", id: "make", on: { click: make } },
        `Make this version: ${titleOf()}`,
      ),
      el("button", { type: "button", id: "propose", on: { click: propose } }, "Compute again"),
    ),
    able.length > 1 && el(
      "figure",
      {},
      scatter(
        able.map((one) => ({ name: one.title, x: Number(one.highest), y: Number(one.kept), on: one.name === picked })),
        limitOf(),
      ),
      el(
        "figcaption",
        {},
        "Further up is more detail, further to the left is safer. Right of the line the promise would be broken.",
        meaning(`${MEANS.kept} ${MEANS.highest}`),
      ),
    ),
  );
}

/** The highest chance that the plan allows: 1 in the size of the smallest group. */
function limitOf() {
  const k = plans.promises().map((one) => /^\s*k\s*>=\s*(\d+)/.exec(one)?.[1]).find(Boolean);
  return k ? 1 / Number(k) : null;
}

function pick(name) {
  picked = name;
  showProposals();
}

const titleOf = () => versions.find((one) => one.name === picked)?.title.toLowerCase() ?? "";

const privacyOf = ({ promise, max_suppressed: share }) => ({
  promise,
  ...(share === null ? {} : { max_suppressed: share, max_suppressed_records: null }),
});

/** Whether the plan asks for this version already. */
function isPlanned(one) {
  const spaceless = (texts) => texts.map((text) => text.replace(/\s/g, "")).join();
  const { max_suppressed: share } = plans.now().plan.privacy;
  const same = one.max_suppressed === null || Number(one.max_suppressed) === Number(share ?? 0);
  return same && spaceless(one.promise) === spaceless(plans.promises());
}

/** Put the chosen version into the plan and make it. */
async function make() {
  const one = versions.find((other) => other.name === picked);
  if (!isPlanned(one) && !(await change({ privacy: privacyOf(one) }))) return;
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
  const given = typeof search?.algorithm === "object" ? search.algorithm.name : (search?.algorithm ?? "optimal");
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

whenDone("proposals", (result) => {
  turn(at("versions")); // whoever asked earlier heard of older ones
  versions = result.proposals;
  takeSamples(result.samples);
  picked = null;
  showProposals();
});
whenDone("run", (_, job) => {
  if (location.search) history.replaceState(null, "", location.pathname);
  showProposals();
  showRun(true).catch(complain);
  return job;
});
document.addEventListener("job-ended", () => plans.now()?.plan && showProposals());

const last = await begin(render);
if (plans.now()?.plan) {
  searches = await get("/api/searches").catch(() => []);
  showExperts();
  const { run } = await chosen().catch(() => ({ run: null }));
  if (running()) fill(at("versions"), el("p", { class: "help" }, "Work is under way, see above."));
  else if (last?.state === "running") showProposals(); // it ended meanwhile
  else if (!(await look()) && !(run && isCurrent(run))) await propose();
}
