// Free places for cards. Pure functions in the pixels of the canvas.
import { HEIGHT, WIDTH, touches } from "../../canvas/geometry.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("../../canvas/geometry.js").Box} Box */

export const EDGE_GAP = 56; // around a card with transitions, so that they stay visible
const MAX_CARDS = 24; // number of nearest cards that limit the choice of places

/**
 * The free place for a card that is nearest to `wanted`.
 * @param {Point} wanted
 * @param {Iterable<Point | Box>} cards
 * @param {number} [gap] distance to the other cards
 * @returns {Point}
 */
export function nearestPlace(wanted, cards, gap = 24) {
  const others = [...cards];
  const distance = ({ x, y }) => Math.hypot(x - wanted.x, y - wanted.y);
  const around = ({ x, y }) => ({ x: x - gap, y: y - gap, width: WIDTH + 2 * gap, height: HEIGHT + 2 * gap });
  const isFree = (place) => !others.some((card) => touches(card, around(place)));
  const start = { x: Math.round(wanted.x), y: Math.round(wanted.y) };
  if (isFree(start)) return start;
  const near = [...others].sort((a, b) => distance(a) - distance(b)).slice(0, MAX_CARDS);
  // The nearest free place lies at the gap beside a card in the way. Of two equally near places, the one below or to
  // the
  // right comes first.
  const xs = near.flatMap(({ x, width = WIDTH }) => [Math.ceil(x + width + gap), Math.floor(x - WIDTH - gap)]);
  const ys = near.flatMap(({ y, height = HEIGHT }) => [Math.ceil(y + height + gap), Math.floor(y - HEIGHT - gap)]);
  const places = [start.x, ...xs].flatMap((x) => [start.y, ...ys].map((y) => ({ x, y })));
  return places.sort((a, b) => distance(a) - distance(b)).find(isFree) ?? freePlace(start, others);
}

/**
 * A chosen place, or the nearest free one if a card that came meanwhile covers it.
 * @param {Point} place
 * @param {Iterable<Point | Box>} cards
 */
export function unlessCovered(place, cards) {
  const others = [...cards];
  const isCovered = others.some((card) => touches(card, { ...place, width: WIDTH, height: HEIGHT }));
  return isCovered ? nearestPlace(place, others, EDGE_GAP) : place;
}

/**
 * The nearest free place below `wanted`, with room for edges around it.
 * @param {Point} wanted
 * @param {Iterable<Point>} cards
 * @returns {Point}
 */
export function freePlace(wanted, cards) {
  const others = [...cards];
  const place = { x: Math.round(wanted.x), y: Math.round(wanted.y) };
  const air = 56;
  const around = () => ({ x: place.x - air, y: place.y - air, width: WIDTH + 2 * air, height: HEIGHT + 2 * air });
  for (let hit; (hit = others.find((card) => touches(card, around())));)
    place.y = Math.ceil(hit.y + (hit.height ?? HEIGHT) + air);
  return place;
}
