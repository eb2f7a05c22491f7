// The list of HIPAA: what a column is about is the owner's word, and what nobody has said is not checked.

import { get, post } from "./api.js";
import { at, el } from "./dom.js";
import { answerInto, field, options, table, verdict } from "./parts.js";

const NAMED = { "": "not answered yet", none: "none of the 18", state: "a state, or larger", place: "a place smaller than a state" };

/** The questions, each with the answer that was given, or else with what name and values suggest. */
export function safeHarbor() {
  return el("div", { id: "harbor-questions" }, ask());
}

const ask = () => {
  const act = () => answerInto(at("harbor-questions"), get("/api/safe-harbor"), questions);
  return el("button", { type: "button", id: "open-harbor", on: { click: act } }, "Go through the list");
};

function questions(asked) {
  const box = el("div", { id: "harbor", "aria-live": "polite" });
  const choices = options(["", ...asked.kinds].map((one) => [one, NAMED[one] ?? one]));
  const control = (place) => at(`about-${place}`);
  const pick = (one, place) => field(
    `about-${place}`,
    one.name,
    el("select", { value: one.kind ?? one.suggested ?? "" }, choices.map((choice) => choice.cloneNode(true))),
    one.kind ? "" : one.suggested ? "Its name or its values suggest this." : "",
  );
  const year = el("input", { type: "text", inputmode: "numeric", value: asked.year ?? "", autocomplete: "off" });
  const rest = () => asked.columns.forEach((_, place) => {
    if (!control(place).value) control(place).value = "none";
  });
  const check = () => {
    const answers = asked.columns.map((one, place) => [one.name, control(place).value]).filter(([, kind]) => kind);
    const of = Number(at("harbor-year").value) || null;
    return answerInto(box, post("/api/safe-harbor", { kinds: Object.fromEntries(answers), year: of }), (found) => shown(
      found,
      asked.columns.length - answers.length,
    ));
  };
  const forget = () => answerInto(box.parentNode, post("/api/safe-harbor", { kinds: {} }), () => [
    el("p", {}, "Your answers are forgotten. No version is checked against this list."),
    ask(),
  ]);
  return [
    el("p", {}, "What is each published column about? Only you can say it: a column without an answer is not checked."),
    el(
      "div",
      { class: "fields" },
      asked.columns.map(pick),
      field("harbor-year", "Year of the data", year, "Only needed for dates of birth."),
    ),
    el(
      "p",
      { class: "buttons" },
      el("button", { type: "button", id: "harbor-none", on: { click: rest } }, "All others are none of the 18"),
      el(
        "button",
        { type: "button", class: "main", id: "check-harbor", on: { click: check } },
        "Check the table against the list",
      ),
      el("button", { type: "button", class: "quiet", id: "forget-harbor", on: { click: forget } }, "Forget my answers"),
    ),
    box,
  ];
}

function shown(found, missing) {
  const open = missing ? `not checked: ${missing} not answered yet` : "not checked in full";
  const tested = (one) => [one.test, verdict(one.holds, "passes", "fails"), one.measured, one.rule];
  return [
    el("p", {}, "The whole list: ", verdict(found.holds, "every test passes", "some tests fail", open)),
    el("p", { class: "help" }, "This is your table as it is now. Step 6 checks the version against the same list."),
    table(
      "HIPAA safe harbor, test by test",
      ["test", "verdict", "found", "rule"],
      found.items.map(tested),
      { heads: 1 },
    ),
  ];
}
