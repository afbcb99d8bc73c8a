// Adds stages at a point or at a free place in view.
import { ASIDE, HEIGHT, WIDTH } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";
import { freePlace, unlessCovered } from "./free-place.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/view.js").View} View */

/**
 * Add a stage or a note.
 * @param {Canvas} canvas
 * @param {{x: number, y: number, source?: string, kind?: string, agent?: string}} stage
 */
export function addStage(canvas, { x, y, source = "", kind = "agent", agent = "" }) {
  const place = { x: Math.round(x), y: Math.round(y) };
  return submit(kind === "note" ? "add-note" : "add-stage", () => ({
    ...unlessCovered(place, canvas.cards.values()),
    ...{ source, kind, agent },
  }));
}

/**
 * Add a stage at a free place.
 * @param {Canvas} canvas
 * @param {View} view
 * @param {{kind?: string, agent?: string, source?: string, beside?: string}} [stage] `beside`: the id of a card
 */
export function addFreely(canvas, view, { beside, ...stage } = {}) {
  return addStage(canvas, { ...stage, ...freely(canvas, view, beside) });
}

/**
 * The free place for a new stage: beside a card or, without a card, in the middle of the view or to the right of that,
 * whichever is higher. In a single column, transitions would run behind the cards.
 * @param {Canvas} canvas
 * @param {View} view
 * @param {string} [beside]
 */
export function freely(canvas, view, beside = "") {
  const card = canvas.cards.get(beside);
  const { x, y } = card ?? centred(view.middle);
  const [place, other] = [x, x + ASIDE].map((x) => freePlace({ x, y }, canvas.cards.values()));
  return card || other.y < place.y ? other : place;
}

/** The place of a card around a point. @param {{x: number, y: number}} point */
export const centred = ({ x, y }) => ({ x: x - WIDTH / 2, y: y - HEIGHT / 2 });
