// Screen 3: who gets the file, and what is promised.

import { get, post } from "../api.js";
import { at, calmly, el, fill, say, used } from "../dom.js";
import { crowd, icon } from "../icons.js";
import { showKnown } from "../known.js";
import { counted, percent, percentOf, shareOf } from "../numbers.js";
import { answerInto, meaning, notice, problem } from "../parts.js";
import * as plans from "../plan.js";
import { expertsOf, promiseUsual } from "../promises.js";
import { begin, change, complain, refused, tell } from "../shell.js";
import { inPromise } from "../words.js";

const MARKS = { public: "globe", contract: "pen", inside: "house" };
const BEST = "contract";
let presets = [];
let models = [];

/** The promises taken apart: the size of groups, different values per column, and all others as they stand. */
function parts() {
  const found = { k: null, l: new Map(), others: [] };
  for (const text of plans.promises()) {
    const k = /^k>=(\d+)$/.exec(text.replace(/\s/g, ""));
    const l = /^l>=(\d+)\[(.+)\]$/.exec(text.trim());
    const column = l && plans.columnsOf("sensitive").find((name) => inPromise(name) === l[2].trim());
    if (k && found.k === null) found.k = Number(k[1]);
    else if (column && !found.l.has(column)) found.l.set(column, Number(l[1]));
    else found.others.push(text);
  }
  return found;
}

function written({ k, l, others }) {
  return [
    ...(k ? [`k>=${k}`] : []),
    ...[...l].map(([column, least]) => `l>=${least}[${inPromise(column)}]`),
    ...others,
  ];
}

/** Change the promises as they are when it is this change's turn. */
const promise = (edit) => change(() => {
  const found = parts();
  edit(found);
  return { privacy: { promise: written(found) } };
});

function showWho() {
  const { k } = parts();
  const usual = presets.filter((one) => one.name in MARKS);
  const chosen = usual.find((one) => one.promise[0] === `k>=${k}`);
  const card = (one) => {
    const input = el(
      "input",
      {
        type: "radio",
        name: "who",
        id: `who-${one.name}`,
        value: one.name,
        checked: one === chosen,
        on: { change: () => promiseUsual(one) },
      },
    );
    const best = one.name === BEST && el("span", { class: "badge best" }, "a good start");
    return el(
      "label",
      { class: "pick" },
      el("span", { class: "top" }, input, icon(MARKS[one.name], 26), best),
      el("strong", {}, one.title),
      el("small", {}, `Everybody hides among at least ${one.promise[0].slice(3)} people. ${one.words}`),
    );
  };
  fill(
    at("who"),
    el(
      "fieldset",
      {},
      el("legend", { class: "hidden" }, "Who gets the file?"),
      el("div", { class: "picks" }, usual.map(card)),
    ),
    !chosen && el("p", { class: "reason" }, "The numbers below are your own."),
  );
}

function showNumbers() {
  const found = parts();
  const privacy = plans.now().plan.privacy;
  const share = el(
    "input",
    {
      class: "number",
      id: "share",
      type: "text",
      inputmode: "decimal",
      value: percentOf(privacy.max_suppressed ?? "0"),
      "aria-label": `Percent of the ${plans.leftOut() === "people" ? "people who" : "rows that"} may be left out`,
      on: { change: setShare },
    },
  );
  const k = el(
    "input",
    {
      class: "number",
      id: "k",
      type: "number",
      min: "1",
      step: "1",
      value: found.k ?? "",
      "aria-label": "Fewest people in a group",
      on: { change: setK },
    },
  );
  const least = found.k ? `The chance to pick the right person is at most 1 in ${found.k}, or ${percent(String(1 / found.k))}.` : "Nothing is promised about the size of groups.";
  fill(
    at("numbers"),
    el(
      "div",
      { class: "with-crowd" },
      el(
        "div",
        { class: "promised" },
        el("p", {}, "Nobody should be narrowed down to fewer than ", k, " people."),
        plans.columnsOf("sensitive").map((name, place) => different(found, name, place)),
        el("p", {}, "At most ", share, ` % of the ${plans.leftOut()} may be left out of the file.`),
      ),
      found.k && crowd(found.k),
    ),
    el("p", { class: "reason" }, least),
    meaning(
      "People who look alike in all columns that could help recognise them form a group. The larger the smallest group, the harder it is to find a single person. Some people are too unusual for any group; they are left out, and the limit says how many that may be. Many guidelines use 11 people; strictly below 0.09 needs 12.",
    ),
  );
}

function different(found, name, place) {
  const on = found.l.has(name);
  const box = el(
    "input",
    {
      type: "checkbox",
      id: `l-on-${place}`,
      checked: on,
      "aria-label": `Promise different values of ${name}`,
      on: { change: (event) => setL(name, event.target.checked ? 3 : null) },
    },
  );
  const number = el(
    "input",
    {
      class: "number",
      id: `l-${place}`,
      type: "number",
      min: "2",
      step: "1",
      value: found.l.get(name) ?? 3,
      disabled: !on,
      "aria-label": `Fewest different values of ${name} in a group`,
      on: { change: (event) => setL(name, Number(event.target.value)) },
    },
  );
  return el(
    "p",
    { class: "row" },
    box,
    el("span", {}, "Every such group has at least ", number, " different values of ", el("strong", {}, name), "."),
  );
}

function setK(event) {
  const k = Number(event.target.value);
  if (!Number.isInteger(k) || k < 1) return refused("The group size is a whole number, 1 or more.", "For example 12.");
  return promise((found) => { found.k = k; });
}

function setL(name, least) {
  if (least !== null && !(Number.isInteger(least) && least > 1)) return refused(
    "The number of different values is a whole number, 2 or more.",
    "For example 3.",
  );
  return promise((found) => (least === null ? found.l.delete(name) : found.l.set(name, least)));
}

function setShare(event) {
  const share = shareOf(event.target.value);
  if (share === null || Number(share) > 1) return refused("The share is a number from 0 to 100 percent.", "For example 5 or 2.5.");
  return change({ privacy: { max_suppressed: share, max_suppressed_records: null } });
}

/** Say whether it can be kept; what stands in the way is also told where somebody asked for it, further down. */
const showPossible = calmly(() => {
  const control = at("more").contains(used()) ? used() : null;
  return answerInto(at("possible"), post("/api/promise/check", {}), (found) => {
    if (control && !found.possible) tell(told(found), control);
    return told(found);
  });
}, 200);

function told(found) {
  if (found.problem) return problem(found.problem);
  if (found.possible) {
    say("This can be kept.");
    const most = found.max_classes ? `At most ${counted(found.max_classes, "group")} can be made.` : "";
    return notice(
      "good",
      "This can be kept",
      [`${most} How much detail it costs is computed in step 5.`.trim(), ...found.notes],
    );
  }
  const nearest = (one) => one.nearest && el(
    "button",
    { type: "button", class: "small", on: { click: () => swap(one.promise, one.nearest) } },
    `Promise ${one.nearest} instead`,
  );
  return notice(
    "bad",
    "No version of this table can keep this",
    found.obstacles.map((one) => el("p", {}, `${one.promise}: ${one.message} `, nearest(one))),
  );
}

function swap(old, better) {
  const spaceless = (text) => text.replace(/\s/g, "");
  const list = () => plans.promises().map((one) => (spaceless(one) === spaceless(old) ? better : one));
  return change(() => ({ privacy: { promise: list() } }));
}

function render(plan) {
  if (!plan.exists || plan.problem || !presets.length) return;
  showWho();
  showNumbers();
  showKnown();
  fill(at("more"), expertsOf(models, presets));
  showPossible();
}

await begin(render);
if (plans.now()?.exists) {
  try {
    [presets, models] = await Promise.all([get("/api/presets"), get("/api/models")]);
    render(plans.now());
  } catch (error) {
    complain(error);
  }
}
