// Charts of the server: a picture, and in the page itself, to point at, for whoever wants to look closer.

import { el, fill } from "./dom.js";
import { notice } from "./parts.js";

/** A picture as a part of this page, without a script: the page allows none from elsewhere. */
async function pictureAt(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path);
  const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  if (drawn.localName !== "svg") throw new Error(path);
  return document.importNode(drawn, true);
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
    const drawn = await pictureAt(`${path}.svg`);
    button.hidden = true;
    const tip = el("p", { class: "tip", role: "status" }, "Point at a part of the chart.");
    drawn.querySelector("title")?.remove(); // it would be said of every part
    drawn.setAttribute("aria-hidden", "true"); // the box says what it shows
    drawn.addEventListener("pointerover", ({ target }) => {
      const said = target.closest("svg *:has(> title)")?.querySelector("title").textContent;
      if (said) tip.textContent = said;
    });
    fill(box, drawn, tip);
  } catch {
    fill(box, notice("bad", "The chart cannot be drawn here.", "Reload the page to see the picture again."));
  }
}
