// Building the page. Whatever comes from a table goes in as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. Keys of `given`: `on` (listeners), `class`, and any attribute; true is an empty one, false is none. */
export function el(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Make a part of a drawing. */
export function draw(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled(node, given, children) {
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [name, act] of Object.entries(value)) node.addEventListener(name, act);
    else if (key !== "value") node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  if (given.value !== undefined && given.value !== null) node.value = given.value; // a list has its options now
  return node;
}

export const at = (id) => document.getElementById(id);

/** Put new content into a box; the focus stays where it was, or as near as possible, and so do messages. */
export function fill(box, ...children) {
  const trail = trailOf(box);
  const open = new Set([...box.querySelectorAll("details[id][open]")].map((one) => one.id));
  const guests = GUESTS.map(at).filter((one) => one && one !== box && box.contains(one));
  for (const one of guests) one.remove();
  box.replaceChildren(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  for (const id of open) at(id)?.setAttribute("open", "");
  for (const one of guests) if (!stand(one, at(one.dataset.beside))) box.append(one);
  if (trail) refocus(trail, box);
  return box;
}

/** The names of what has the focus and of all around it up to a box; null if the focus is elsewhere. */
function trailOf(box) {
  if (!box.contains(document.activeElement)) return null;
  const ids = [];
  for (let node = document.activeElement; node !== box; node = node.parentElement) if (node.id) ids.push(node.id);
  return ids;
}

function refocus(ids, box) {
  for (const node of [...ids.map(at), box]) {
    const target = node?.matches("details") ? node.querySelector("summary") : node;
    target?.focus({ preventScroll: true });
    if (target && document.activeElement === target) return;
    if (!target || target.matches("button, input, select, textarea")) continue; // gone, or it cannot be used now
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    return;
  }
}

const GUESTS = ["notices", "job"]; // they stand beside the control that they are about
const CONTROLS = "button, a[href], input, select, textarea, .node";
let last = null;

for (const name of ["click", "change", "drop"]) document.addEventListener(name, (event) => {
  const control = event.target.closest?.(CONTROLS) ?? event.target.closest?.("label")?.control;
  if (control && !control.closest(GUESTS.map((id) => `#${id}`).join())) last = control;
}, true);

/** A control as it is drawn now. */
const drawnNow = (control) => (control && !control.isConnected && control.id ? at(control.id) : control);

/** The control that was used last, messages' own ones aside. */
export const used = () => drawnNow(last);

/** Let a box of messages stand beside a control; where there is none, below the question. */
export function beside(name, control) {
  const box = at(name);
  box.dataset.beside = control?.id ?? "";
  if (!stand(box, drawnNow(control))) at("said").before(box);
  return box;
}

/** Put a box where a control is. Gives whether there is such a place. */
function stand(box, control) {
  if (!control?.isConnected || !at("main").contains(control)) return false;
  const inside = control.closest(".field, .files li");
  const after = control.closest(".choose, .wide, fieldset, .buttons, .row, header, .plot, p") ?? control;
  if (inside) inside.append(box);
  else if (control.closest(".onward")) control.closest(".onward").before(box);
  else after.after(box);
  return true;
}

let revealed = null; // the message that stays in view until somebody does something

/** Bring a message into view, if it is not; it stays there when what is around it is drawn later. */
export function reveal(box) {
  revealed = box;
  box.scrollIntoView({ block: "nearest" });
}

const growth = new ResizeObserver(() => revealed?.isConnected && revealed.hasChildNodes() && reveal(revealed));
growth.observe(document.body, { box: "border-box" });
for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) document.addEventListener(name, () => {
  revealed = null;
}, { capture: true, passive: true });

const turns = new WeakMap();

/** Begin to ask for what goes into a box. Gives a function that says whether nothing newer was begun since. */
export function turn(box) {
  const mine = {};
  turns.set(box, mine);
  return () => turns.get(box) === mine;
}

/** Wait a moment after the last call, so that typing asks once. */
export function calmly(act, wait = 300) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

let pressed = false;
const waitingForRelease = [];

function release() {
  pressed = false;
  setTimeout(() => waitingForRelease.splice(0).forEach((act) => act())); // after the click itself
}

for (const name of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(name, release, true);
document.addEventListener("pointerdown", () => { pressed = true; }, true);

/** Do something now, or as soon as nobody presses a button: what is under the finger must not be replaced. */
export function whenReleased(act) {
  if (pressed) waitingForRelease.push(act);
  else act();
}

let spoken = "";

/** Tell screen readers; the same words are not said twice in a row. */
export function say(words) {
  if (words === spoken) return;
  spoken = words;
  at("said").textContent = words;
}
