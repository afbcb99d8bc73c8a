// Adds elements that the first picture does not need. They are in the page as comments, which cost almost nothing: the
// texts of cards and the single edges at a small scale, and the end of a long list of agents. They become elements with
// the first input, or else when the page is idle. Until then, all edges of one style are drawn as one line.
import { cardId } from "./canvas.js";
import { route } from "./geometry.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */

const INPUT_EVENTS = ["pointerdown", "keydown", "wheel", "focusin"];
const WORK_TIME = 6; // milliseconds of work before other work gets a turn

/** Add all deferred elements: at once at a readable scale, otherwise soon. @param {Canvas} canvas */
export function showDetails(canvas) {
  const { element } = canvas;
  const steps = stepsFor(canvas);
  const take = (time) => {
    const until = performance.now() + time;
    while (performance.now() < until) if (steps.next().done) return true;
    idle(() => take(WORK_TIME));
    return false;
  };
  canvas.complete = () => void take(Infinity);
  if (element.dataset.far !== "colours") return canvas.complete();
  drawSimpleLines(canvas);
  for (const name of INPUT_EVENTS) addEventListener(name, canvas.complete, { capture: true, once: true });
  document.body.addEventListener("htmx:beforeOnLoad", canvas.complete, { once: true });
  requestAnimationFrame(() => idle(() => take(WORK_TIME))); // after the first picture
}

/**
 * Return the steps: one for each card, one for the agents, and one for all edges.
 * @param {Canvas} canvas
 * @returns {Generator<void, void>}
 */
function* stepsFor(canvas) {
  for (const place of document.querySelectorAll(".stage__face, #agents")) {
    fill(place);
    yield;
  }
  fill(/** @type {Element} */ (canvas.viewport.querySelector("#edges")));
  canvas.viewport.querySelector(".simple-lines")?.remove();
  canvas.processChanges();
  canvas.routeEdges();
}

/** Replace the comment in a place with its elements. @param {Element} place */
function fill(place) {
  const text = [...place.childNodes].find((node) => node instanceof Comment);
  if (!text) return;
  text.remove();
  place.insertAdjacentHTML("beforeend", text.data);
}

/** Draw all edges of each style as one line. @param {Canvas} canvas */
function drawSimpleLines({ viewport, cards }) {
  for (const line of /** @type {NodeListOf<SVGPathElement>} */ (viewport.querySelectorAll(".simple-lines > path"))) {
    const ends = (line.dataset.edges ?? "").trim().split(" ").map((phase) => cards.get(cardId(phase)));
    let d = "";
    for (let at = 1; at < ends.length; at += 2)
      d += route(/** @type {any} */ (ends[at - 1]), /** @type {any} */ (ends[at])).d;
    line.setAttribute("d", d);
  }
}

/** Continue when the page is idle. @param {() => void} work */
const idle = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
