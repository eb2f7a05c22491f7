// Values sorted into named groups: by dragging, or with a list beside each value. Groups move with up and down.

import { el, fill, say } from "./dom.js";
import { icon } from "./icons.js";
import { options } from "./parts.js";

const KEPT = 300;

/** `groups` is [[name, values], ...]; values in no group stand apart. `save(groups)` is called by the button. */
export function sorter(id, groups, values, { ordered = false, save, saved, changed = () => undefined }) {
  const state = groups.map(([name, inner]) => ({ name, values: inner.filter((one) => values.includes(one)) }));
  const box = el("div", { id: `${id}-sorter` });
  const apart = () => {
    const placed = new Set(state.flatMap((one) => one.values));
    return values.filter((one) => !placed.has(one));
  };
  const plain = () => state.map((one) => [one.name, one.values]);
  const drawn = () => {
    const rest = apart();
    fill(
      box,
      el(
        "ul",
        { class: "groups" },
        state.map((one, place) => group(one, place)),
        rest.length > 0 && el(
          "li",
          { class: "group" },
          el("strong", {}, `In no group yet: ${rest.length}`),
          chips(rest, -1),
        ),
      ),
      el(
        "p",
        { class: "buttons" },
        el("button", { type: "button", class: "small", id: `${id}-new`, on: { click: add } }, "New group"),
        save && el(
          "button",
          { type: "button", class: "main small", id: `${id}-save`, on: { click: () => save(plain()) } },
          saved,
        ),
      ),
    );
  };
  const redraw = (words) => {
    drawn();
    say(words);
    changed(plain());
  };
  const move = (value, to) => {
    for (const one of state) one.values = one.values.filter((other) => other !== value);
    if (to >= 0) state[to].values.push(value);
    redraw(`Moved to ${to >= 0 ? state[to].name : "no group"}.`);
  };
  const shift = (place, by) => {
    const [one] = state.splice(place, 1);
    state.splice(place + by, 0, one);
    redraw(`${one.name} is now number ${place + by + 1}.`);
  };
  const add = () => {
    state.push({ name: `group ${state.length + 1}`, values: [] });
    redraw("A new group was added at the end.");
    document.getElementById(`${id}-name-${state.length - 1}`)?.focus();
  };
  const drop = (place) => ({
    dragover: (event) => (event.preventDefault(), event.currentTarget.classList.add("over")),
    dragleave: (event) => event.currentTarget.classList.remove("over"),
    drop: (event) => {
      event.preventDefault();
      const value = event.dataTransfer.getData("text/plain");
      if (values.includes(value)) move(value, place);
    },
  });
  const group = (one, place) => {
    const name = el(
      "input",
      {
        type: "text",
        id: `${id}-name-${place}`,
        value: one.name,
        "aria-label": `Name of group ${place + 1}`,
        autocomplete: "off",
        on: { change: (event) => ((one.name = event.target.value.trim() || one.name), redraw("Renamed.")) },
      },
    );
    const step = (by, word, mark, off) => el(
      "button",
      {
        type: "button",
        class: "small quiet",
        id: `${id}-${mark}-${place}`,
        disabled: off,
        "aria-label": `Move ${one.name} ${word}`,
        on: { click: () => shift(place, by) },
      },
      icon(mark, 18),
    );
    const gone = el(
      "button",
      {
        type: "button",
        class: "small quiet",
        id: `${id}-gone-${place}`,
        "aria-label": `Dissolve ${one.name}`,
        on: { click: () => (state.splice(place, 1), redraw("Dissolved.")) },
      },
      icon("bin", 18),
    );
    return el(
      "li",
      { class: "group", on: drop(place) },
      el(
        "div",
        { class: "row" },
        name,
        el(
          "span",
          { class: "row" },
          ordered && step(-1, "up", "up", place === 0),
          ordered && step(1, "down", "down", place === state.length - 1),
          gone,
        ),
      ),
      chips(one.values, place),
    );
  };
  const chips = (inner, place) => {
    const pairs = [["-1", "no group"], ...state.map((one, other) => [String(other), one.name])];
    const chip = (value, line) => el(
      "li",
      { draggable: "true", on: { dragstart: (event) => event.dataTransfer.setData("text/plain", value) } },
      el("span", {}, value),
      el(
        "select",
        {
          id: `${id}-${place}-${line}`,
          value: String(place),
          "aria-label": `Group of ${value}`,
          on: { change: (event) => move(value, Number(event.target.value)) },
        },
        options(pairs),
      ),
    );
    return el(
      "ul",
      { class: "values" },
      inner.slice(0, KEPT).map(chip),
      inner.length > KEPT && el("li", {}, `and ${inner.length - KEPT} more`),
    );
  };
  drawn();
  return box;
}
