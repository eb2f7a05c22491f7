// Charts of the server: a picture at once, and the same chart to point at for whoever wants to look closer.

import { get } from "./api.js";
import { el, fill } from "./dom.js";
import { notice } from "./parts.js";

let loading = null;

/** The program that draws charts comes from our own server, once, and only if somebody asks for it. */
function vega() {
  loading ??= new Promise((done, failed) => {
    document.head.append(
      el("script", { src: "/static/vega.js", on: { load: () => done(window.vegaEmbed), error: failed } }),
    );
  });
  return loading;
}

/** A chart of a run, with how to read it and what to do about it. */
export function figure(run, chart) {
  const words = [chart.title, chart.reading].filter(Boolean).join(". ");
  const path = `/api/runs/${run.id}/charts/${encodeURIComponent(chart.name)}`;
  const box = el(
    "div",
    { class: "chart", tabindex: "0", role: "group", "aria-label": chart.title },
    el("img", { src: `${path}.svg`, alt: words, loading: "lazy" }),
  );
  const closer = el(
    "button",
    { type: "button", class: "small", on: { click: () => pointAt(box, path, closer) } },
    "Point at it for numbers",
    el("span", { class: "hidden" }, `: ${chart.title}`),
  );
  const caption = el(
    "figcaption",
    {},
    el("strong", {}, chart.title),
    chart.reading && el("em", {}, chart.reading),
    chart.advice && el("em", {}, chart.advice),
    closer,
  );
  return el("figure", {}, box, caption);
}

async function pointAt(box, path, button) {
  try {
    const [embed, drawn] = await Promise.all([vega(), get(`${path}.json`)]);
    button.hidden = true;
    if (drawn.svg) return;
    const place = el("div");
    const tip = el("p", { class: "tip", role: "status" }, "Point at a part of the chart.");
    fill(box, place, tip);
    await embed(
      place,
      drawn,
      {
        ast: true,
        actions: false,
        renderer: "canvas",
        defaultStyle: false,
        tooltip: (_, __, ___, value) => told(tip, value),
      },
    );
  } catch {
    fill(box, notice("bad", "The chart cannot be drawn here.", "Reload the page to see the picture again."));
  }
}

/** What is under the pointer, as text. */
function told(tip, value) {
  if (value === null || value === undefined || value === "") return;
  tip.textContent = typeof value === "object" ? Object.entries(value).map(
    ([name, one]) => `${name}: ${one}`,
  ).join(", ") : String(value);
}
