// Inserts a stage into a transition, between its two ends.
import { announce } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";
import { choose, returnFocus } from "./choose-target.js";
import { EDGE_GAP, nearestPlace } from "./free-place.js";
import { roomIn } from "./make-room.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Insert a stage into a transition.
 * @param {Canvas} canvas
 * @param {string} stage the id of its card
 * @param {string} edge
 * @param {Point} [place] the wanted place of the card
 */
export async function insert(canvas, stage, edge, place) {
  const { source = "", target = "" } = canvas.edges.get(edge) ?? {};
  const [phase, from, to] = [stage, source, target].map((id) => canvas.phaseOf(id));
  const others = [...canvas.cards].filter(([id]) => id !== stage).map(([, card]) => card);
  const room = roomIn(canvas, edge, stage);
  const { x = "", y = "" } = room?.place ?? (place ? nearestPlace(place, others, EDGE_GAP) : {});
  const moves = room?.moves ?? "[]";
  const isAccepted = await submit("splice", { stage: phase, source: from, target: to, x, y, moves });
  if (isAccepted) announce(`Inserted ${phase} between ${from} and ${to}`);
  return isAccepted;
}

/**
 * The middles of the edges that do not touch a stage: it can be inserted there.
 * @param {Canvas} canvas
 * @param {string} stage
 */
export function edgesFor(canvas, stage) {
  /** @type {Map<string, Point>} */
  const middles = new Map();
  for (const [id, { source, target }] of canvas.edges) {
    const [a, b] = [canvas.cards.get(source), canvas.cards.get(target)];
    if (source === stage || target === stage || !a || !b) continue;
    middles.set(id, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  }
  return middles;
}

/**
 * Mark the edge that would take a stage, and the stages at its ends, because the card may hide the edge.
 * @param {Canvas} canvas
 * @param {string} id
 * @param {boolean} isMarked
 */
export function markInsertion(canvas, id, isMarked) {
  const edge = canvas.edges.get(id);
  edge?.element.toggleAttribute("data-splice", isMarked);
  for (const end of [edge?.source ?? "", edge?.target ?? ""])
    canvas.cards.get(end)?.element.toggleAttribute("data-target", isMarked);
}

/**
 * Ask by key for the edge that takes a stage, beginning with the nearest.
 * @param {import("../../canvas/commands/command.js").Page} page
 * @param {string} stage
 */
export async function askForEdge(page, stage) {
  const { canvas } = page;
  const card = /** @type {Point} */ (canvas.cards.get(stage));
  const among = edgesFor(canvas, stage);
  const distance = ([, { x, y }]) => Math.hypot(x - card.x, y - card.y);
  const [first] = [...among].sort((a, b) => distance(a) - distance(b)).map(([id]) => id);
  if (!first) return announce("There is no transition to insert it into");
  let marked = "";
  const show = (id) => {
    markInsertion(canvas, marked, false);
    markInsertion(canvas, (marked = id), true);
  };
  const describe = (id) => {
    const { source = "", target = "" } = canvas.edges.get(id) ?? {};
    const [phase, from, to] = [stage, source, target].map((end) => canvas.phaseOf(end));
    return `Inserting ${phase} between ${from} and ${to}.`;
  };
  const edge = await choose(page, { among, first, show, describe });
  show("");
  if (edge) await insert(canvas, stage, edge);
  returnFocus(canvas, stage);
}
