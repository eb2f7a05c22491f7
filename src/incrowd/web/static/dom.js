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

/** Put new content into a box; the focus stays where it was if the control is still there. */
export function fill(box, ...children) {
  const held = box.contains(document.activeElement) ? document.activeElement.id : "";
  const open = new Set([...box.querySelectorAll("details[id][open]")].map((one) => one.id));
  box.replaceChildren(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  for (const id of open) at(id)?.setAttribute("open", "");
  if (held) at(held)?.focus({ preventScroll: true });
  return box;
}

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

let last = "";

/** Tell screen readers; the same words are not said twice in a row. */
export function say(words) {
  if (words === last) return;
  last = words;
  at("said").textContent = words;
}
