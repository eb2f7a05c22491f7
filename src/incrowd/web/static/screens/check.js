// Screen 6: risk before and after, attacks, usefulness.

import { get, maybe } from "../api.js";
import { figure } from "../charts.js";
import { at, el, fill, turn } from "../dom.js";
import { running, start, whenDone } from "../job.js";
import { count, percent } from "../numbers.js";
import { experts, field, meaning, notice, options, table, verdict } from "../parts.js";
import * as plans from "../plan.js";
import { answered, questions } from "../questions.js";
import { doubts, open } from "../review.js";
import { chosen, numbersOf, which } from "../runs.js";
import { begin, complain } from "../shell.js";

const WORDS = {
  risk: "Each line is a way to be found. Before is your table without names; after is the version. The limit is what you promised.",
  attacks: "We played the intruder, against everybody in the file. The rate says how often the guess was right; next to it is how often it would be right without the file.",
  confidential: "A secret can be learnt without finding anybody: it is enough that everybody in a group shares it.",
  usefulness: "How far counts, shares and relations in the version are from those in your table.",
};
const SHOWN = ["risk", "attacks", "confidential", "harbor", "changed", "usefulness", "limits"];
const GOOD = new Set(["kept", "pass", "holds"]);
const BAD = new Set(["not kept", "fail", "broken"]);
let run = null;

/** A word of the report as a verdict with an icon. */
function cell(text) {
  const word = String(text).trim().toLowerCase();
  if (GOOD.has(word)) return verdict(true, text);
  return BAD.has(word) ? verdict(false, "", text) : text;
}

const tableOf = (one) => table(one.caption, one.head, one.rows.map((row) => row.map(cell)), { heads: 1 });

function section(one, charts, open) {
  const drawn = charts.filter((chart) => one.charts.includes(chart.name));
  const inner = [
    ...one.words.map((text) => el("p", {}, text)),
    WORDS[one.name] && meaning(WORDS[one.name]),
    ...one.tables.map(tableOf),
    drawn.length > 0 && el("div", { class: "charts" }, drawn.map((chart) => figure(run, chart))),
  ];
  if (open) return el("div", { class: "part" }, el("h3", {}, one.title), inner);
  return experts(`part-${one.name}`, one.title, ...inner);
}

/** "1,000 (100.0%)" as "1,000 people (100 %)". */
const people = (text) => (/^0\b/.test(text) ? "nobody" : text.replace(/^([\d,]+) \((.*?)(?:\.0)?%\)$/, "$1 people ($2 %)"));

/** The most telling line: who could be found with certainty, before and after. */
function inOneLine(short) {
  const row = short?.tables.flatMap((one) => one.rows).find(([name]) => name === "people one of a kind");
  return row && el(
    "p",
    { class: "sentence" },
    `Before: somebody who knows these columns finds ${people(row[1])} with certainty. After: ${people(row[2])}.`,
  );
}

/** Green only for a version of the plan as it is now about which nothing is doubtful. */
function judged(found, review) {
  if (!found.meets) return notice("bad", "The version does not keep what you promised", found.verdict);
  if (found.worst?.length) return notice(
    "bad",
    "The version keeps its promises, but people are still exposed",
    [...found.worst, ...doubts(review).map((one) => one.words)],
  );
  const stale = review.items.filter((one) => ["plan", "promise"].includes(one.name) && one.state === "open");
  if (stale.length) return notice(
    "doubt",
    "The version keeps what it was made for, not what your plan asks for now",
    [...stale, ...doubts(review)].map((one) => one.words),
  );
  const again = doubts(review).map((one) => one.words);
  if (again.length) return notice("doubt", "The version keeps what you promised, but look at this", again);
  return notice("good", "The version keeps what you promised", found.verdict);
}

function showEvidence(found, review) {
  const box = at("found");
  box.hidden = false;
  const short = found.sections.find((one) => one.name === "summary");
  const rest = SHOWN.map((name) => found.sections.find((one) => one.name === name)).filter(Boolean);
  const others = found.sections.filter(
    (one) => one !== short && !rest.includes(one) && !["purpose", "reproduce"].includes(one.name),
  );
  fill(
    box,
    el("h2", { id: "found-title", tabindex: "-1" }, "What we found"),
    judged(found, review),
    open(review).length > 0 && el(
      "p",
      {},
      `Still open before a release: ${[...new Set(open(review).map((one) => one.title))].join(", ")}. `,
      el("a", { href: `/release?run=${run.id}` }, "See step 7"),
    ),
    inOneLine(short),
    numbersOf(run),
    short && section({ ...short, title: "In short" }, found.charts, true),
    el("h3", {}, "More about it"),
    rest.map((one) => section(one, found.charts, false)),
    experts("others", "The rest of the report", others.map((one) => section(one, found.charts, true))),
    el(
      "p",
      { class: "buttons" },
      el("button", { type: "button", id: "attack", on: { click: attack } }, "Attack and compare again"),
    ),
  );
}

async function showAll() {
  const { runs, run: found } = await chosen();
  run = found;
  fill(at("which"), which(runs, run, "/check"));
  if (!run) return;
  showExperts();
  const fresh = turn(at("found"));
  const evidence = await maybe(`/api/runs/${run.id}/evidence`);
  const review = evidence && (await reviewed());
  if (!fresh()) return;
  if (evidence) return showEvidence(evidence, review);
  at("found").hidden = false;
  fill(
    at("found"),
    el("h2", { id: "found-title" }, "What we found"),
    el("p", {}, "This version has not been attacked yet."),
    el("button", { type: "button", class: "main", id: "attack", on: { click: attack } }, "Attack it and compare"),
  );
  if (!running()) await attack();
}

const reviewed = () => get(`/api/runs/${run.id}/review`);

const attack = () => start("evidence", { run: run.id });

function showExperts() {
  const columns = plans.columnsOf("sensitive");
  const own = experts("questions", "My own questions", el("div"));
  own.addEventListener("toggle", () => {
    const inner = own.querySelector(".inner");
    if (own.open && !at("ask")) fill(inner, questions(run));
  });
  return fill(at("more"), own, columns.length > 0 && [closeness(columns), graphs(columns)]);
}

function closeness(columns) {
  const check = () => start(
    "nt-check",
    {
      run: run.id,
      column: at("nt-column").value,
      n: at("nt-n").value.trim(),
      t: at("nt-t").value.trim(),
      supersets: at("nt-sets").value,
    },
  );
  const sets = [
    ["lattice", "any larger group of the hierarchies"],
    ["drop", "groups by fewer columns"],
    ["path", "groups of the search"],
    ["table", "the whole table"],
  ];
  return experts(
    "nt",
    "For experts: does every group look like the large group around it? (n, t)-closeness",
    el(
      "p",
      {},
      "A group tells a secret if a value is much more frequent in it than around it. Say how large the surroundings must be (n), and how far a group may be from them (t).",
    ),
    el(
      "div",
      { class: "fields" },
      field("nt-column", "Confidential column", el("select", {}, options(columns.map((one) => [one, one])))),
      field(
        "nt-n",
        "n: people around a group, at least",
        el("input", { type: "text", inputmode: "numeric", "data-place": "nt-check.n", value: String(Math.max(Math.round(run.published / 4), 2)) }),
      ),
      field(
        "nt-t",
        "t: distance, at most",
        el("input", { type: "text", inputmode: "decimal", "data-place": "nt-check.t", value: "0.2" }),
        "0 is alike, 1 is as different as can be.",
      ),
      field("nt-sets", "Surroundings", el("select", { value: "lattice" }, options(sets))),
    ),
    el("button", { type: "button", id: "nt-check", on: { click: check } }, "Check"),
    el("div", { id: "nt-found", "aria-live": "polite" }),
  );
}

function showCloseness(found) {
  const rows = found.classes.map(
    (one) => [
      ...one.labels,
      count(one.records),
      one.distance,
      verdict(one.holds, "holds", "does not hold"),
      one.certified_by ?? "none",
    ],
  );
  const words = found.holds ? `${found.promise}: every group looks like the people around it.` : `${found.promise}: ${count(found.failing)} of ${count(found.classes.length + found.more)} groups differ too much from all surroundings that are large enough.`;
  fill(
    at("nt-found"),
    notice(found.holds ? "good" : "bad", words, found.notes),
    table(
      "Groups, the worst first",
      [...found.quasi, "people", "distance", "verdict", "surroundings that show it"],
      rows,
    ),
    found.more > 0 && el("p", { class: "help" }, `${count(found.more)} more groups are not listed.`),
  );
}

function graphs(columns) {
  const draw = () => start("graph", { run: run.id, column: at("graph-column").value });
  return experts(
    "graph",
    "For experts: which groups have which values",
    el(
      "div",
      { class: "row" },
      field("graph-column", "Confidential column", el("select", {}, options(columns.map((one) => [one, one])))),
      el("button", { type: "button", id: "draw-graph", on: { click: draw } }, "Draw"),
    ),
    el("div", { id: "graph-found", "aria-live": "polite" }),
  );
}

function showGraph(found) {
  const source = `data:image/svg+xml,${encodeURIComponent(found.svg)}`;
  fill(
    at("graph-found"),
    el("p", {}, found.words),
    el(
      "figure",
      {},
      el(
        "div",
        { class: "chart" },
        el(
          "img",
          {
            src: source,
            alt: `Groups on one side, values on the other, a line where a group has a value. ${found.words}`,
          },
        ),
      ),
      el(
        "figcaption",
        {},
        `Groups on one side, values on the other. A thick line means that much of the group has the value (at most ${percent(found.largest)}).`,
      ),
    ),
  );
}

whenDone("evidence", async (result, job) => {
  if (job.run !== run?.id) return; // not known yet, or another one is looked at
  turn(at("found")); // whoever asked earlier may hear that there is none
  showEvidence(result, await reviewed());
  at("found-title").focus();
});
whenDone("nt-check", showCloseness);
whenDone("graph", showGraph);
whenDone("question", answered);
await begin(() => undefined);
if (plans.now()?.exists) await showAll().catch(complain);
