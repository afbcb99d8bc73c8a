// The next card in a direction. Pure function in the pixels of the canvas.

/** @typedef {import("./geometry.js").Point} Point */

/**
 * The key of the nearest card in a direction; cards off the line count as farther.
 * @template Key
 * @param {Point} from
 * @param {"ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown"} direction
 * @param {Iterable<[Key, Point]>} cards
 * @returns {Key | null}
 */
export function neighbour(from, direction, cards) {
  const sideways = direction === "ArrowLeft" || direction === "ArrowRight";
  const sign = direction === "ArrowLeft" || direction === "ArrowUp" ? -1 : 1;
  let [best, found] = [Infinity, null];
  for (const [key, card] of cards) {
    const along = sign * (sideways ? card.x - from.x : card.y - from.y);
    const off = Math.abs(sideways ? card.y - from.y : card.x - from.x);
    const cost = along + 2 * off;
    if (along > 0 && cost < best) [best, found] = [cost, key];
  }
  return found;
}
