// Long work: one job at a time, with its progress, its end, and a way to stop it. A reload finds it again.

import { get, post } from "./api.js";
import { at, beside, el, fill, reveal, say, used } from "./dom.js";
import { count, percent, seconds } from "./numbers.js";
import { notice, problem } from "./parts.js";
import { settled } from "./plan.js";
import { repairs } from "./repairs.js";

const ended = new Map();
const TITLES = {
  run: "Searching for the best version",
  alternatives: "Computing versions",
  frontier: "Computing the frontier",
  evidence: "Attacking the release and comparing",
  "nt-check": "Checking closeness",
  graph: "Drawing the graph",
  question: "Asking the table and the version",
  export: "Writing the files",
};
const STAGES = {
  reading: "Reading the table",
  searching: "Searching",
  writing: "Writing",
  checking: "Checking the result again",
  working: "Working",
};
let source = null;
let present = null;
let blocks = false; // whether the present job keeps another from being started
let asked = null; // what this page started last

/** The kind of job that is under way, if there is one. */
export const running = () => present?.state === "running" && present.kind;

/** Say what to do when a job of a kind has ended well: `act(result, job)`. */
export const whenDone = (kind, act) => ended.set(kind, act);

/** Start a job; it is shown beside the control that was used last. Gives false if it was refused, and says why. */
export async function start(kind, more = {}, control = used()) {
  asked = { kind, more };
  try {
    await settled();
    beside("job", control);
    watch(await post("/api/jobs", { kind, ...more }));
    return true;
  } catch (error) {
    if (error.code === "busy") await resume({ inTheWay: true });
    else wrong(error);
    return false;
  }
}

/** Show an error beside what it is about: the field that it names, or where the job was started. */
function wrong(error, ...actions) {
  const field = error.place ? document.querySelector(`[data-place="${CSS.escape(error.place)}"]`) : null;
  if (field) {
    beside("job", field);
    field.setAttribute("aria-invalid", "true");
    field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  }
  const { kind, more } = asked ?? {};
  const retry = kind ? (further) => start(kind, { ...more, ...further }) : null;
  reveal(fill(at("job"), problem(error, ...actions, ...repairs(error, retry, more))));
  field?.focus({ preventScroll: true });
}

/** Find a job that still runs, for example after a reload, or because it is in the way of another; give the last one. */
export async function resume({ inTheWay = false } = {}) {
  const { job } = await get("/api/jobs/current");
  blocks = inTheWay;
  if (blocks) delete at("job").dataset.id; // it is drawn anew, where it is in the way
  if (job?.state === "running") watch(job);
  return job;
}

function watch(job) {
  source?.close();
  shown(job);
  source = new EventSource(`/api/jobs/${job.id}/events`);
  source.addEventListener("job", (event) => shown(JSON.parse(event.data)));
  source.addEventListener("error", () => setTimeout(() => running() && lookAgain(job.id), 1000));
}

/** Ask once where the events broke off; if nobody answers, say so. */
async function lookAgain(id) {
  try {
    shown(await get(`/api/jobs/${id}`));
  } catch (error) {
    source?.close();
    present = null;
    document.body.classList.remove("busy");
    wrong(error);
  }
}

function shown(job) {
  present = job;
  if (job.state === "running") return drawn(job);
  source?.close();
  document.body.classList.remove("busy");
  if (job.state === "failed") failed(job);
  else if (job.state === "stopped" && !job.result) stopped();
  else finished(job);
}

function finished(job) {
  fill(at("job"));
  beside("job", null);
  say(`${TITLES[job.kind] ?? "The work"}: done.`);
  ended.get(job.kind)?.(job.result, job);
}

function stopped() {
  reveal(fill(at("job"), notice("plain", "Cancelled.", "Nothing was written. Your plan is as it was.")));
  document.dispatchEvent(new CustomEvent("job-ended"));
}

function failed(job) {
  const error = job.error ?? { message: "This did not work.", hint: "" };
  const none = error.code === "IC201";
  document.dispatchEvent(new CustomEvent("job-ended")); // screens draw themselves anew; then the message finds its place
  wrong(none ? { ...error, message: `Not possible with these limits. ${error.message}` } : error);
}

/** Words for where a job is: "Searching: 3,100 of 4,320 looked at. Best so far keeps about 78 % of the detail. About 5 seconds left." */
export function wordsOf(job) {
  const stage = job.words || STAGES[job.stage] || "Working";
  const share = () => percent(String((job.done ?? 0) / job.total));
  const steps = job.total ? `${count(job.done ?? 0)} of ${count(job.total)} (${share()})` : "";
  const best = job.kept ? `Best so far keeps about ${percent(job.kept)} of the detail.` : "";
  const left = job.left ? `About ${seconds(job.left)} left.` : "";
  return [
    partOf(job),
    `${stage[0].toUpperCase()}${stage.slice(1)}${steps ? `: ${steps}` : ""}.`,
    best,
    left,
  ].filter(Boolean).join(" ");
}

/** "1 of 3: as your plan says." where work has parts. */
const partOf = (job) => (job.parts ? `${job.part} of ${job.parts}: ${job.part_words}.` : "");

/** How much is done of how much, all parts together; null where nobody knows. */
function shareDone(job) {
  const inner = job.total ? (job.done ?? 0) / job.total : 0;
  if (job.parts) return { max: job.parts, value: job.part - 1 + Math.min(inner, 1) };
  return job.total ? { max: job.total, value: job.done ?? 0 } : null;
}

function drawn(job) {
  document.body.classList.add("busy");
  const title = TITLES[job.kind] ?? "Working";
  if (at("job").dataset.id !== String(job.id) || !at("job-bar")) {
    const stop = (keep) => async () => shown(await post(`/api/jobs/${job.id}/stop`, { keep }).catch(() => present));
    const keep = job.kind === "run" ? el(
      "button",
      { type: "button", id: "job-keep", hidden: true, on: { click: stop(true) } },
      "Stop and keep the best so far",
    ) : null;
    const cancel = el("button", { type: "button", id: "job-stop", on: { click: stop(false) } }, "Cancel");
    fill(
      at("job"),
      el(
        "section",
        { class: "running", "aria-label": title },
        el("p", { class: "title" }, el("strong", {}, title)),
        el("progress", { id: "job-bar", "aria-label": title }),
        el("p", { id: "job-words" }),
        blocks && el("p", { role: "status" }, "This has to end, or be cancelled, first. Then try again."),
        el("p", { class: "buttons" }, keep, cancel),
      ),
    );
    at("job").dataset.id = job.id;
    say(title);
    if (at("job").dataset.beside) reveal(at("job"));
  }
  const bar = at("job-bar");
  const done = shareDone(job);
  if (done) Object.assign(bar, done);
  else bar.removeAttribute("value");
  at("job-words").textContent = `${wordsOf(job)}${job.seconds >= 2 ? ` ${seconds(job.seconds)} so far.` : ""}`;
  if (at("job-keep")) at("job-keep").hidden = !job.kept;
  say(`${title}. ${partOf(job)} ${STAGES[job.stage] ?? ""}`);
}
