// What would help against an error: a change of the plan, another try, or the way to another screen.

import { el } from "./dom.js";
import { change } from "./shell.js";

/** The buttons of an error. `retry(more)` tries the same again, with something more; `asked` is what was asked for. */
export function repairs(error, retry = null, asked = {}) {
  const new_ = (one) => one.go || one.change || Object.entries(one.again).some(([key, value]) => asked[key] !== value);
  const able = (one) => (one.go ? one.go !== location.pathname : one.change || retry);
  return [
    ...(error.repairs ?? []).filter((one) => able(one) && new_(one)).map((one) => way(one, retry)),
    ...(error.code === "gone" ? [reload()] : []),
  ];
}

function way(one, retry) {
  if (one.go) return el("a", { class: "button", href: one.go }, one.words);
  const act = async () => (!one.change || (await change(one.change))) && retry?.(one.again);
  return el("button", { type: "button", class: one.change ? "main" : null, on: { click: act } }, one.words);
}

/** Try everything again. */
export const reload = () => el("button", { type: "button", on: { click: () => location.reload() } }, "Try again");
