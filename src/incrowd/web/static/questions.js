// Part of screen 6: somebody's own questions, asked of the table and of the version.

import { get } from "./api.js";
import { at, el, fill, turn } from "./dom.js";
import { start } from "./job.js";
import { count, percent } from "./numbers.js";
import { answerInto, bars, field, meaning, options, problem, table } from "./parts.js";
import * as plans from "./plan.js";

const ASKS = [
  ["count", "How many people are there?"],
  ["mean", "What is the average of a column?"],
  ["model", "How well can a column be predicted?"],
];
const CONDITIONS = 2;
const RANGED = new Set(["number", "date", "datetime", "instant"]);
const answers = [];
let kinds = new Map();
let last = "";

const published = () => ["quasi", "sensitive", "insensitive"].flatMap((role) => plans.columnsOf(role));
const columnsFor = (ask) => (
  ask === "mean" ? published().filter((name) => kinds.get(name) === "number")
    : ["sensitive", "insensitive"].flatMap((role) => plans.columnsOf(role))
);

/** A form for questions about a version, and the answers so far. */
export function questions(run) {
  const box = el("div", {}, el("p", { class: "help" }, "Looking at the columns…"));
  get("/api/table/profile").then((profile) => {
    kinds = new Map(profile.columns.map((one) => [one.name, one.kind]));
    fill(box, form(run));
    showAnswers();
  }).catch((error) => fill(box, problem(error)));
  return box;
}

function form(run) {
  const more = el("div", { class: "fields" });
  const ask = field("ask", "Question", el("select", { on: { change: () => shown() } }, options(ASKS)));
  const shown = () => {
    const kind = ask.querySelector("select").value;
    const columns = columnsFor(kind);
    const about = kind !== "count" && field(
      "ask-column",
      kind === "mean" ? "Average of" : "Predicted from the other columns",
      el("select", {}, options(columns.map((one) => [one, one]))),
      columns.length ? "" : "No published column is of this kind.",
    );
    fill(more, about, kind !== "model" && Array.from({ length: CONDITIONS }, (_, place) => condition(place)));
  };
  shown();
  return el(
    "div",
    {},
    el(
      "p",
      {},
      "Ask what your readers will ask. We answer from your table and from the version, and you see how far apart the answers are.",
    ),
    ask,
    more,
    el("button", { type: "button", id: "ask-it", on: { click: () => sent(run) } }, "Ask"),
    el("div", { id: "answers", "aria-live": "polite" }),
  );
}

/** Everybody, or only those with certain values of a column. */
function condition(place) {
  const inner = el("span", { class: "row", id: `where-${place}-values` });
  const pick = el(
    "select",
    { id: `where-${place}`, on: { change: () => chosen() } },
    options([["", "everybody"], ...published().map((one) => [one, one])]),
  );
  const chosen = () => values(inner, place, pick.value);
  return el(
    "div",
    { class: "field" },
    el("label", { for: `where-${place}` }, place ? "and only where" : "Only where"),
    pick,
    inner,
  );
}

const EXAMPLES = { number: "such as 37.5", date: "such as 1960-02-01 or 1.2.1960" };

function values(inner, place, column) {
  const example = EXAMPLES[kinds.get(column) === "number" ? "number" : "date"];
  const typed = (end, words) => el(
    "input",
    {
      type: "text",
      id: `where-${place}-${end}`,
      placeholder: words,
      "aria-label": `${column} ${words}`,
      "aria-describedby": `where-${place}-example`,
      autocomplete: "off",
    },
  );
  turn(inner); // the values of a column that was picked earlier may still be on their way
  if (!column) return fill(inner);
  if (RANGED.has(kinds.get(column))) return fill(
    inner,
    typed("low", "from"),
    typed("high", "to"),
    el("span", { class: "help", id: `where-${place}-example` }, example),
  );
  return answerInto(inner, get(`/api/table/values?column=${encodeURIComponent(column)}`), (found) => el(
    "select",
    { id: `where-${place}-is`, "aria-label": `${column} is` },
    options(found.values.filter((one) => one.value !== null).map((one) => [one.value, one.value])),
  ));
}

/** What is asked of one column, as the server reads it and in words; null if it is everybody. */
function whereOf(place) {
  const column = at(`where-${place}`)?.value;
  if (!column) return null;
  const is = at(`where-${place}-is`);
  if (is) return { name: () => undefined, body: { column, values: [is.value] }, words: `${column} is ${is.value}` };
  const [low, high] = ["low", "high"].map((end) => at(`where-${place}-${end}`)?.value.trim() || null);
  if (!low && !high) return null;
  const name = (number) => ["low", "high"].forEach((end) => {
    at(`where-${place}-${end}`).dataset.place = `where.${number}.${end}`;
  });
  return { name, body: { column, low, high }, words: `${column}${low ? ` from ${low}` : ""}${high ? ` to ${high}` : ""}` };
}

async function sent(run) {
  const ask = at("ask").value;
  const column = at("ask-column")?.value || null;
  const where = Array.from({ length: CONDITIONS }, (_, place) => whereOf(place)).filter(Boolean);
  where.forEach((one, number) => one.name(number)); // a refusal says which end of which condition it is about
  const head = { count: "How many people", mean: `Average of ${column}`, model: `Prediction of ${column}` }[ask];
  last = `${head}${where.length ? ` where ${where.map((one) => one.words).join(" and ")}` : ""}`;
  await start("question", { run: run.id, ask, column, where: where.map((one) => one.body) });
}

const said = (text, share) => (text === null ? "no answer" : share ? percent(text) : text);

/** Put an answer above the earlier ones. */
export function answered(found) {
  answers.unshift({ ...found, question: last || "Your question" });
  showAnswers();
}

function showAnswers() {
  if (!answers.length || !at("answers")) return;
  const [one] = answers;
  const share = one.guessed !== null;
  const most = Math.max(...[one.before, one.after].map((text) => Math.abs(Number(text ?? 0))), 1e-12);
  const bar = (name, text, strong) => (
    { name, share: Math.abs(Number(text ?? 0)) / (share ? 1 : most), words: said(text, share), strong }
  );
  const rows = answers.map(
    (other) => [
      other.question,
      said(other.before, other.guessed !== null),
      said(other.after, other.guessed !== null),
      other.guessed === null ? percent(other.off) : `${percent(other.guessed)} right without looking`,
    ],
  );
  fill(
    at("answers"),
    el("p", { class: "sentence" }, `${one.question}:`),
    bars([bar("your table", one.before, true), bar("this version", one.after)]),
    one.shown !== null && el("p", {}, `Without people who have a star (*) in what is asked, the version says ${one.shown}.`),
    share && el("p", {}, `Always guessing the most frequent value would be right for ${percent(one.guessed)}.`),
    meaning(
      share ? "Two models learn, one from your table and one from the version, and both are asked about people of your table that neither has seen. The bars say how often they are right."
        : "Where the version has a range or a group instead of a value, its people are spread evenly over the values inside, as a reader would do who knows no better. People who were left out are missing.",
    ),
    table(`${count(answers.length)} asked`, ["question", "your table", "this version", "off by"], rows, { heads: 1 }),
  );
}
