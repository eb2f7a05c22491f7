// What all screens share: steps, undo and redo, the plan's file, and the focus on the question.

import { at, beside, el, fill, reveal, say, used, whenReleased } from "./dom.js";
import { resume, running } from "./job.js";
import { notice, problem } from "./parts.js";
import * as plans from "./plan.js";
import { repairs } from "./repairs.js";

const screen = document.querySelector('meta[name="incrowd-screen"]').content;

/** Show an error beside the control that it is about: the one that was used last, unless another is named. */
export function complain(error, { actions = [], control = used() } = {}) {
  tell(problem(error, ...actions, ...repairs(error)), control);
}

/** Show a message beside a control. */
export function tell(message, control = used()) {
  reveal(fill(beside("notices", control), message));
}

/** Take away what was told about an earlier try. */
export function quiet() {
  fill(at("notices"));
  if (!running()) fill(at("job"));
}

/** Change the plan by a body, or by a function that makes it from the plan as it is then; if that is refused, say why and show what is still true. Gives whether it worked. */
export async function change(body) {
  return attempt(() => plans.change(body));
}

export async function attempt(act) {
  const control = used();
  try {
    await act();
    quiet();
    say("Saved.");
    return true;
  } catch (error) {
    if (error.code === "changed") await plans.load();
    complain(
      error.code === "changed" ? {
        ...error,
        message: "The plan was changed elsewhere, perhaps in another tab.",
        hint: "You see the new plan now. If your change is still right, make it again.",
      } : error,
      { actions: [error.code === "changed" ? null : putBack(control)].filter(Boolean), control },
    );
    return false;
  }
}

/** Refuse what was typed into a field, with a way back. */
export const refused = (message, hint) => complain({ message, hint }, { actions: [putBack(used())].filter(Boolean) });

/** A way back to what the plan says, where something else was typed or chosen. */
function putBack(control) {
  if (!control?.matches("input, select, textarea")) return null;
  const act = () => {
    quiet();
    plans.again();
    at(control.id)?.focus();
  };
  return el("button", { type: "button", id: "put-back", on: { click: act } }, "Put back what was there");
}

/** Begin a screen. `render(plan)` is called now and whenever the plan has changed. Gives the last job. */
export async function begin(render) {
  at("question").focus({ preventScroll: true });
  plans.watch(() => whenReleased(() => {
    tools(plans.now());
    render(plans.now());
  }));
  wire();
  try {
    const plan = await plans.load();
    if (!plan.exists && screen !== "open") return location.replace("/open");
    if (plan.problem) broken(plan.problem);
    plans.follow(
      () => tell(notice("plain", "The plan was changed elsewhere.", "You see the new plan now."), null),
    );
    return await resume();
  } catch (error) {
    complain(error);
    return null;
  } finally {
    document.documentElement.dataset.ready = "yes";
  }
}

function broken(error) {
  complain(
    { ...error, message: "The file plan.toml was changed by hand and cannot be used.", hint: error.message },
    { actions: [el("button", { type: "button", on: { click: showFile } }, "Show the file")], control: null },
  );
}

/** What can be done with the plan now; the focus goes to a neighbour rather than nowhere. */
function tools(plan) {
  const able = { undo: plan.undo > 0, redo: plan.redo > 0, "show-file": plan.exists };
  const held = Object.keys(able).find((id) => document.activeElement === at(id));
  for (const [id, yes] of Object.entries(able)) at(id).disabled = !yes;
  if (held && !able[held]) at(Object.keys(able).find((id) => able[id]))?.focus();
  for (const link of document.querySelectorAll(".steps a")) {
    const open = plan.exists || link.dataset.screen === "open";
    if (open) link.removeAttribute("aria-disabled");
    else link.setAttribute("aria-disabled", "true");
    if (open) link.setAttribute("href", `/${link.dataset.screen}`);
    else link.removeAttribute("href");
  }
  const onward = at("onward");
  if (onward) onward.hidden = !plan.exists;
}

function wire() {
  at("undo").addEventListener("click", () => attempt(plans.undo));
  at("redo").addEventListener("click", () => attempt(plans.redo));
  at("show-file").addEventListener("click", showFile);
  at("file-save").addEventListener("click", async () => {
    try {
      await plans.replace(at("file-text").value);
      at("file").close();
      quiet();
      say("Saved.");
    } catch (error) {
      reveal(fill(at("file-problem"), problem(inFile(error))));
    }
  });
}

function showFile() {
  at("file-text").value = plans.now().text;
  fill(at("file-problem"));
  at("file").showModal();
}

/** An error with the names that stand in the file: whoever writes the file reads them there. */
function inFile(error) {
  const named = (place) => {
    const [, head, key] = /^(?:(.+)\.)?([^.]+)$/.exec(place) ?? [];
    return key ? `${head ? `[${head}] ` : ""}${key}: ` : "";
  };
  const share = (place) => (place === "privacy.max_suppressed" ? " In the file, 100 percent is 1." : "");
  const problems = (error.problems ?? []).map(
    (one) => ({ ...one, message: `${named(one.place)}${one.message}${share(one.place)}` }),
  );
  return { ...error, message: problems[0]?.message ?? error.message, problems };
}
