// Long work: one job at a time, with its progress, its end, and a way to stop it. A reload finds it again.

import { get, post } from "./api.js";
import { at, el, fill, say } from "./dom.js";
import { count, percent, seconds, shareOf } from "./numbers.js";
import { notice, problem } from "./parts.js";
import { settled } from "./plan.js";
import { change } from "./shell.js";

const ended = new Map();
const TITLES = {
  run: "Searching for the best version",
  proposals: "Computing three versions",
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

/** The kind of job that is under way, if there is one. */
export const running = () => present?.state === "running" && present.kind;

/** Say what to do when a job of a kind has ended well: `act(result, job)`. */
export const whenDone = (kind, act) => ended.set(kind, act);

/** Start a job. Gives false if it was refused, and says why. */
export async function start(kind, more = {}) {
  try {
    await settled();
    watch(await post("/api/jobs", { kind, ...more }));
    return true;
  } catch (error) {
    if (error.code === "busy") await resume();
    else fill(at("job"), problem(error));
    return false;
  }
}

/** Find a job that still runs, for example after a reload; give the last one. */
export async function resume() {
  const { job } = await get("/api/jobs/current");
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
    fill(at("job"), problem(error));
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
  say(`${TITLES[job.kind] ?? "The work"}: done.`);
  ended.get(job.kind)?.(job.result, job);
}

function stopped() {
  fill(at("job"), notice("plain", "Cancelled.", "Nothing was written. Your plan is as it was."));
  document.dispatchEvent(new CustomEvent("job-ended"));
}

/** Changes that would be enough, each with a button that makes it and tries again. */
function waysOut({ message, hint }, kind) {
  const way = (words, body) => el(
    "button",
    { type: "button", class: "main", on: { click: async () => (await change(body)) && start(kind) } },
    words,
  );
  const column = /at_most of '(.+?)' binds/.exec(hint)?.[1];
  const people = /max_suppressed_records=(\d+)/.exec(hint)?.[1];
  const all = /of ([\d,]+) records/.exec(message)?.[1].replaceAll(",", "");
  const share = people && all && Math.ceil((Number(people) / Number(all)) * 1000) / 10;
  return [
    column && way(`Let ${column} become as vague as needed`, { columns: { [column]: { at_most: null } } }),
    share && share < 100 && way(
      `Let ${share} % be left out`,
      { privacy: { max_suppressed: shareOf(String(share)), max_suppressed_records: null } },
    ),
  ].filter(Boolean);
}

function failed(job) {
  const error = job.error ?? { message: "This did not work.", hint: "" };
  const links = error.code === "IC201" ? [
    ...waysOut(error, job.kind),
    el("a", { class: "button", href: "/promise" }, "Change the promise"),
    el("a", { class: "button", href: "/coarsen" }, "Let columns become vaguer"),
  ] : /not covered/.test(error.message) ? [el("a", { class: "button", href: "/coarsen" }, "Look at the ladders")] : [];
  fill(
    at("job"),
    problem(
      error.code === "IC201" ? { ...error, message: `Not possible with these limits. ${error.message}` } : error,
      ...links,
    ),
  );
  document.dispatchEvent(new CustomEvent("job-ended"));
}

/** Words for where a job is: "Searching: 3,100 of 4,320 looked at. Best so far keeps 78 % of the detail. About 5 seconds left." */
export function wordsOf(job) {
  const stage = job.words || STAGES[job.stage] || "Working";
  const share = () => percent(String((job.done ?? 0) / job.total));
  const steps = job.total ? `${count(job.done ?? 0)} of ${count(job.total)} (${share()})` : "";
  const best = job.best ? `Best so far keeps ${percent(String(1 - Number(job.best)))} of the detail.` : "";
  const left = job.left ? `About ${seconds(job.left)} left.` : "";
  return [
    `${stage[0].toUpperCase()}${stage.slice(1)}${steps ? `: ${steps}` : ""}.`,
    best,
    left,
  ].filter(Boolean).join(" ");
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
        el("p", { class: "buttons" }, keep, cancel),
      ),
    );
    at("job").dataset.id = job.id;
    say(title);
  }
  const bar = at("job-bar");
  if (job.total) Object.assign(bar, { max: job.total, value: job.done ?? 0 });
  else bar.removeAttribute("value");
  at("job-words").textContent = `${wordsOf(job)}${job.seconds >= 2 ? ` ${seconds(job.seconds)} so far.` : ""}`;
  if (at("job-keep")) at("job-keep").hidden = !job.best;
  say(`${title}. ${STAGES[job.stage] ?? ""}`);
}
