// Makes room for a stage in a short transition: the stages that follow move to the right. Pure function.
import { GRID, HEIGHT, WIDTH } from "../../canvas/geometry.js";
import { EDGE_GAP } from "./free-place.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Return the place of the stage and the new places of the stages that follow; null if there is room, or if the
 * transition does not lead to the right.
 * @param {Map<string, Point>} cards of stages, by id
 * @param {{source: string, target: string}[]} edges
 * @param {{source: string, target: string}} edge into which the stage is inserted
 * @param {string} [stage] the card of the inserted stage, if it exists
 * @returns {{place: Point, moves: Map<string, Point>} | null}
 */
export function makeRoom(cards, edges, edge, stage = "") {
  const [a, b] = [cards.get(edge.source), cards.get(edge.target)];
  if (!a || !b || b.x < a.x + WIDTH || Math.abs(b.y - a.y) > 2 * HEIGHT) return null;
  const missing = a.x + 2 * WIDTH + 2 * EDGE_GAP - b.x;
  if (missing <= 0) return null;
  const by = Math.ceil(missing / GRID) * GRID;
  const following = new Set([edge.target]);
  for (const id of following) {
    for (const { source, target } of edges) {
      const card = cards.get(target);
      if (source === id && target !== edge.source && target !== stage && card && card.x >= b.x) following.add(target);
    }
  }
  const moved = [...following].map((id) => /** @type {[string, Point]} */ ([id, /** @type {Point} */ (cards.get(id))]));
  return {
    place: { x: a.x + WIDTH + EDGE_GAP, y: Math.round((a.y + b.y) / 2) },
    moves: new Map(moved.map(([id, { x, y }]) => [id, { x: x + by, y }])),
  };
}

/**
 * Make room in an edge of the canvas. The moves are the value of a field of a gesture.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string} id of the edge
 * @param {string} [stage]
 * @returns {{place: Point, moves: string} | null}
 */
export function roomIn(canvas, id, stage) {
  const edge = canvas.edges.get(id);
  const made = edge && makeRoom(new Map(canvas.stages), [...canvas.edges.values()], edge, stage);
  if (!made) return null;
  const moves = [...made.moves].map(([card, { x, y }]) => ({ phase: canvas.phaseOf(card), x, y }));
  return { place: made.place, moves: JSON.stringify(moves) };
}
