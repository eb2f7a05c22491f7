// Part of screen 3: what an intruder knows already about who is in the file.

import { at, el, fill } from "./dom.js";
import { field } from "./parts.js";
import * as plans from "./plan.js";
import { change, refused } from "./shell.js";

let asked = false;

/** Whether an intruder knows who is in the file; if not, how many people the table was drawn from counts too. */
export function showKnown() {
  const people = plans.now().plan.report?.population ?? null;
  const known = people === null && !asked;
  const choice = (value, words, help) => el(
    "label",
    { class: "check" },
    el("input", {
      type: "radio",
      name: "known",
      id: `known-${value}`,
      checked: known === (value === "yes"),
      on: { change: () => setKnown(value === "yes") },
    }),
    el("span", {}, words, " ", el("small", {}, help)),
  );
  const size = el("input", {
    type: "text",
    inputmode: "numeric",
    value: people ?? "",
    placeholder: "such as 1200000",
    autocomplete: "off",
    on: { change: setPeople },
  });
  fill(
    at("known"),
    el(
      "fieldset",
      {},
      el("legend", {}, "Could somebody know that a person is in the file?"),
      choice("yes", "Yes, or we are not sure.", "The safe answer: the chance is 1 in the size of the group."),
      choice("no", "No, the file is a sample of more people.", "Then the person could also be somebody outside."),
    ),
    !known && field("population", "How many people was the table drawn from?", size, "The inhabitants of the city, all patients of those years. Leave it empty if nobody knows."),
    el("p", { class: "reason" }, "This changes nothing in what is promised. It lets step 6 and the report say how large the chance is for somebody who does not know who is in the file."),
  );
}

function setKnown(known) {
  asked = !known;
  const people = plans.now().plan.report?.population ?? null;
  if (known && people !== null) return change({ report: { population: null } });
  return showKnown();
}

function setPeople(event) {
  const people = event.target.value.replace(/[\s,_]/g, "");
  if (people && !/^[1-9]\d{0,14}$/.test(people)) return refused("The number of people is a whole number, 1 or more.", "For example 1200000.");
  return change({ report: { population: people ? Number(people) : null } });
}
