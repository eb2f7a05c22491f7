// What all screens share: steps, undo and redo, the plan's file, and the focus on the question.

import { at, fill, say, whenReleased } from "./dom.js";
import { resume } from "./job.js";
import { notice, problem } from "./parts.js";
import * as plans from "./plan.js";

const screen = document.querySelector('meta[name="incrowd-screen"]').content;

/** Show an error where everybody sees it. */
export function complain(error, ...actions) {
  fill(at("notices"), problem(error, ...actions));
  at("notices").scrollIntoView({ block: "nearest" });
}

export const quiet = () => fill(at("notices"));

/** Change the plan by a body, or by a function that makes it from the plan as it is then; if that is refused, say why and show what is still true. Gives whether it worked. */
export async function change(body) {
  return attempt(() => plans.change(body));
}

export async function attempt(act) {
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
    );
    return false;
  }
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
      () => fill(at("notices"), notice("plain", "The plan was changed elsewhere.", "You see the new plan now.")),
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
  fill(
    at("notices"),
    problem({ ...error, message: `The file plan.toml was changed by hand and cannot be used: ${error.message}` }),
  );
}

function tools(plan) {
  at("undo").disabled = plan.undo < 1;
  at("redo").disabled = plan.redo < 1;
  at("show-file").disabled = !plan.exists;
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
  at("show-file").addEventListener("click", () => {
    at("file-text").value = plans.now().text;
    fill(at("file-problem"));
    at("file").showModal();
  });
  at("file-save").addEventListener("click", async () => {
    try {
      await plans.replace(at("file-text").value);
      at("file").close();
      quiet();
      say("Saved.");
    } catch (error) {
      fill(at("file-problem"), problem(error));
    }
  });
}
