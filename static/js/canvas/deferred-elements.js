// What the first picture does without is in the page as comments, which cost a browser next to nothing: from afar the
// words
// of the cards and each edge by itself, and what is far down in the list of agents. They become elements at once where
// someone is near or does something, and else when the page has nothing more to do. Until then the edges of a look are
// one
// line.
import { cardId } from "./canvas.js";
import { route } from "./geometry.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */

const HANDS = ["pointerdown", "keydown", "wheel", "focusin"];
const A_WHILE = 6; // milliseconds

/** Have the canvas complete, now or soon. @param {Canvas} canvas */
export function showDetails(canvas) {
  const { element } = canvas;
  const steps = stepsOf(canvas);
  const take = (time) => {
    const until = performance.now() + time;
    while (performance.now() < until) if (steps.next().done) return true;
    idle(() => take(A_WHILE));
    return false;
  };
  canvas.complete = () => void take(Infinity);
  if (element.dataset.far !== "colours") return canvas.complete();
  sketch(canvas);
  for (const name of HANDS) addEventListener(name, canvas.complete, { capture: true, once: true });
  document.body.addEventListener("htmx:beforeOnLoad", canvas.complete, { once: true });
  requestAnimationFrame(() => idle(() => take(A_WHILE))); // after the first picture
}

/**
 * One step for each card, one for the agents, and one for all edges.
 * @param {Canvas} canvas
 * @returns {Generator<void, void>}
 */
function* stepsOf(canvas) {
  for (const place of document.querySelectorAll(".stage__face, #agents")) {
    fill(place);
    yield;
  }
  fill(/** @type {Element} */ (canvas.viewport.querySelector("#edges")));
  canvas.viewport.querySelector(".sketch")?.remove();
  canvas.heed();
  canvas.wire();
}

/** Put in what stands in a place as a comment. @param {Element} place */
function fill(place) {
  const text = [...place.childNodes].find((node) => node instanceof Comment);
  if (!text) return;
  text.remove();
  place.insertAdjacentHTML("beforeend", text.data);
}

/** Draw the edges of a look as one line. @param {Canvas} canvas */
function sketch({ viewport, cards }) {
  for (const line of /** @type {NodeListOf<SVGPathElement>} */ (viewport.querySelectorAll(".sketch > path"))) {
    const ends = (line.dataset.ways ?? "").split(" ").map((phase) => cards.get(cardId(phase)));
    let d = "";
    for (let at = 1; at < ends.length; at += 2)
      d += route(/** @type {any} */ (ends[at - 1]), /** @type {any} */ (ends[at])).d;
    line.setAttribute("d", d);
  }
}

/** Go on when the page has nothing else to do. @param {() => void} work */
const idle = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
