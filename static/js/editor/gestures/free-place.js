// Where there is room for one more card. Pure, in the canvas's own pixels.
import { HEIGHT, WIDTH, freePlace, touches } from "../../canvas/geometry.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("../../canvas/geometry.js").Box} Box */

export const AIR = 56; // around a card that edges lead to: they are seen
const NEAR = 24; // so many cards around are looked at: what is behind them is no nearer

/**
 * The place for a card that is nearest to `wanted` and clear of the others.
 * @param {Point} wanted
 * @param {Iterable<Point | Box>} cards
 * @param {number} [air] how much room is left around it
 * @returns {Point}
 */
export function nearestPlace(wanted, cards, air = 24) {
  const others = [...cards];
  const far = ({ x, y }) => Math.hypot(x - wanted.x, y - wanted.y);
  const free = ({ x, y }) =>
    !others.some((card) => touches(card, { x: x - air, y: y - air, width: WIDTH + 2 * air, height: HEIGHT + 2 * air }));
  const start = { x: Math.round(wanted.x), y: Math.round(wanted.y) };
  if (free(start)) return start;
  const around = others
    .map((card) => ({ card, gap: far(card) }))
    .sort((a, b) => a.gap - b.gap)
    .slice(0, NEAR)
    .map(({ card }) => card);
  // The nearest place touches, with the air between, the cards that are in its way; of two as near it is below, or
  // right.
  const xs = [
    start.x,
    ...around.flatMap(({ x, width = WIDTH }) => [Math.ceil(x + width + air), Math.floor(x - WIDTH - air)]),
  ];
  const ys = [
    start.y,
    ...around.flatMap(({ y, height = HEIGHT }) => [Math.ceil(y + height + air), Math.floor(y - HEIGHT - air)]),
  ];
  const places = xs.flatMap((x) => ys.map((y) => ({ x, y }))).sort((a, b) => far(a) - far(b));
  return places.find(free) ?? freePlace(start, others);
}
