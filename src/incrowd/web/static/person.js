// Who a row is about: a person, or one of several rows of a person.

import { el } from "./dom.js";
import { counted } from "./numbers.js";
import { field, options } from "./parts.js";
import * as plans from "./plan.js";
import { change } from "./shell.js";

/** Ask whether every row is another person, preset by what the table shows. */
export function person(profile) {
  const { about = {} } = plans.now();
  const entity = plans.now().plan?.data?.entity ?? "";
  const names = profile.columns.map((one) => one.name);
  const pick = field(
    "entity",
    "The column that says whose row it is",
    el(
      "select",
      {
        value: entity,
        on: { change: (event) => event.target.value && change({ data: { entity: event.target.value } }) },
      },
      options([["", "choose a column"], ...names.map((one) => [one, one])]),
    ),
    entity ? people(profile, entity) : "For example a patient number. It is not published.",
  );
  pick.hidden = !entity;
  const radio = (value, words, act) => el(
    "label",
    { class: "check" },
    el(
      "input",
      {
        type: "radio",
        name: "person",
        id: `person-${value}`,
        value,
        checked: (value === "yes") === !entity,
        on: { change: act },
      },
    ),
    words,
  );
  return el(
    "fieldset",
    { class: "ask" },
    el("legend", {}, "Is this one row per person?"),
    el("p", { id: "person-found" }, found(profile, about, entity)),
    radio("yes", "Yes, every row is a different person", () => {
      pick.hidden = true;
      if (entity) change({ data: { entity: null } });
    }),
    radio("no", "No, a person can have several rows", () => {
      pick.hidden = false;
    }),
    pick,
    others(profile, about),
  );
}

/** How many people there are by a column. */
function people(profile, entity) {
  const one = profile.columns.find(({ name }) => name === entity);
  return one ? `${counted(one.distinct, "person", "people")} in ${counted(profile.records, "row")}. The column is not published.` : "It is not published.";
}

/** What the table shows; only somebody who knows it can say whether that is so. */
function found(profile, about, entity) {
  const repeats = `${about.entity} has ${counted(about.people, "value")} in ${counted(about.records, "row")}`;
  if (about.entity && entity === about.entity) return `We think not: ${repeats}, as if each stood for a person. Please check.`;
  if (about.entity && !entity) return `You say yes. But ${repeats}. If it stands for people, groups hold fewer people than rows.`;
  if (about.perhaps && !entity) return `We are not sure: ${about.perhaps} has ${counted(about.people, "value")} in ${counted(about.records, "row")}. If it stands for people, groups hold fewer people than rows: say so below.`;
  if (entity) return "People are counted by the column that you chose.";
  return "We found no column in which the same person comes back. Only you can know: look for a number of patients, customers or cases.";
}

/** Households and weights, if there are any. */
function others(profile, { household, households, weight, records }) {
  const lines = [
    household && `${household} seems to stand for a household (${count(households, records)}). Who knows one member may recognise the others.`,
    weight && `${weight} looks like a survey weight. It is left out unless you say otherwise in step 2.`,
  ].filter(Boolean);
  return lines.length > 0 && el("ul", { class: "also", id: "also" }, lines.map((words) => el("li", {}, words)));
}

const count = (number, records) => `${counted(number, "value")} in ${counted(records, "row")}`;
