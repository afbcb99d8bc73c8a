// The preview of a transition that is being drawn or reconnected: a line from a card to the pointer or to another card.
import { HEIGHT, WIDTH, curve, holds, route } from "../../canvas/geometry.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Return the preview line of a transition with one fixed end.
 * @param {Canvas} canvas
 * @param {string} fixed the id of the card at the fixed end
 * @param {"source" | "target"} [moving] the end that follows the pointer
 */
export function edgePreview(canvas, fixed, moving = "target") {
  const line = /** @type {SVGPathElement} */ (canvas.viewport.querySelector(".ghost"));
  const inOrder = (from, to) => (moving === "target" ? [from, to] : [to, from]);
  /** @type {HTMLElement | undefined} */
  let marked;
  const mark = (element) => {
    marked?.removeAttribute("data-target");
    element?.setAttribute("data-target", "");
    marked = element;
  };
  return {
    /** Lead the line to a card or a point. @param {string | Point} to the id of a card, or a point */
    to(to) {
      const from = canvas.cards.get(fixed);
      const card = typeof to === "string" ? canvas.cards.get(to) : undefined;
      if (!from) return;
      const [a, b] = inOrder(from, card ?? /** @type {Point} */ (to));
      line.setAttribute("d", card ? route(a, b).d : moving === "target" ? looseRoute(a, b) : looseStart(a, b));
      line.removeAttribute("hidden");
      const [source, target] = inOrder(fixed, /** @type {string} */ (to));
      mark(card && !canvas.edgeBetween(source, target) ? card.element : undefined);
    },
    remove() {
      line.setAttribute("hidden", "");
      mark(undefined);
    },
  };
}

/** The path from a point to the left port of a card. @param {Point} point @param {Point} card */
function looseStart(point, card) {
  return looseRoute({ x: point.x - WIDTH, y: point.y - HEIGHT / 2 }, { x: card.x, y: card.y + HEIGHT / 2 });
}

/**
 * The id of the stage under a point or just beside it; the stage `self` only if the point is well inside.
 * @param {Canvas} canvas
 * @param {Point} point
 * @param {string} [self]
 */
export const stageAt = (canvas, point, self) =>
  canvas.stages.find(([id, card]) => holds(card, point, id === self ? -24 : 12))?.[0];

/** The path from the port of a stage to a loose end. @param {Point} a @param {Point} end */
function looseRoute(a, end) {
  const [x, y] = [a.x + WIDTH, a.y + HEIGHT / 2];
  const bend = Math.max(40, Math.abs(end.x - x) / 2);
  return curve(x, y, x + bend, y, end.x - bend, end.y, end.x, end.y).d;
}
