// The plan: read from the server, changed there at once, and shown wherever it is shown.

import { get, patch, post, put } from "./api.js";

let plan = null;
let line = Promise.resolve();
const watchers = new Set();
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("incrowd") : null;

export const now = () => plan;

/** Call `act(plan)` whenever the plan has changed. */
export const watch = (act) => watchers.add(act);

function took(found) {
  const changed = !plan || found.revision !== plan.revision || found.unsure.length !== plan.unsure.length || found.exists !== plan.exists;
  plan = found;
  if (changed) watchers.forEach((act) => act(plan));
  return plan;
}

function told(found) {
  took(found);
  tabs?.postMessage(found.revision);
  return plan;
}

export const load = async () => took(await get("/api/plan"));

/** Show the plan as it is once more. */
export const again = () => watchers.forEach((act) => act(plan));

/** Ask for a change; one after the other, each on what the last one left. */
function inLine(act) {
  const mine = line.then(act).then(told);
  line = mine.catch(() => undefined);
  return mine;
}

/** `body` may be a function: then it is asked when all earlier changes are made. */
export const change = (body) => inLine(
  () => patch("/api/plan", typeof body === "function" ? body() : body, { match: plan.revision }),
);

/** Wait until everything that was asked for is written. */
export const settled = () => line;

export const replace = (text) => inLine(() => put("/api/plan/text", { text }, { match: plan.revision }));
export const undo = () => inLine(() => post("/api/plan/undo"));
export const redo = () => inLine(() => post("/api/plan/redo"));
export const confirm = (columns) => inLine(() => post("/api/plan/confirm", { columns }));
export const restore = (run) => inLine(() => post("/api/plan/restore", { run }));
export const open = (given, signal) => inLine(() => post("/api/open", given, { signal }));

/** Look again when another tab has changed something, or when we come back to this one. */
export function follow(changed) {
  const look = async () => {
    const before = plan?.revision;
    const found = await load().catch(() => null);
    if (found && before !== undefined && found.revision !== before) changed();
  };
  tabs?.addEventListener("message", (event) => event.data !== plan?.revision && look());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
}

export const columnsOf = (role) => (plan?.columns ?? []).filter((one) => one.role === role).map((one) => one.name);

/** The promises of the plan as a list of texts. */
export function promises() {
  const given = plan?.plan?.privacy?.promise ?? [];
  return Array.isArray(given) ? given : [given];
}

/** What is left out: rows where a person can have several, else people. */
export const leftOut = () => (plan?.plan?.data?.entity ? "rows" : "people");
