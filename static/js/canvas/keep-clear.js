// Keeps revealed cards clear of the elements over the canvas: the minimap, the zoom buttons and the hint bar.
import { HEIGHT, WIDTH, touches } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./view.js").View} View */

const OVER = ".zoom, .minimap, .hint:not([hidden])";
const AIR = 8;

/** Keep cards clear from now on. @param {View} view */
export function keepClear(view) {
  view.aside = ({ x, y, width = WIDTH, height = HEIGHT }) => {
    for (const over of document.querySelectorAll(OVER)) {
      const { window, scale } = view;
      const card = {
        x: x * scale + view.x + window.x,
        y: y * scale + view.y + window.y,
        width: width * scale,
        height: height * scale,
      };
      const [dx, dy] = clearance(card, over.getBoundingClientRect(), window);
      if (dx || dy) view.pan(dx, dy, view.refit);
    }
  };
}

/**
 * The smallest move that takes a card clear of a box and leaves it in the window.
 * @param {Box} card
 * @param {Box} over
 * @param {Box} window
 * @returns {number[]}
 */
export function clearance(card, over, window) {
  const around = { x: over.x - AIR, y: over.y - AIR, width: over.width + 2 * AIR, height: over.height + 2 * AIR };
  if (!touches(card, around)) return [0, 0];
  const moves = [
    [0, around.y - card.y - card.height],
    [0, around.y + around.height - card.y],
    [around.x - card.x - card.width, 0],
    [around.x + around.width - card.x, 0],
  ].sort((a, b) => Math.abs(a[0] + a[1]) - Math.abs(b[0] + b[1]));
  const isIn = ([dx, dy]) =>
    card.x + dx >= window.x &&
    card.y + dy >= window.y &&
    card.x + dx + card.width <= window.x + window.width &&
    card.y + dy + card.height <= window.y + window.height;
  return moves.find(isIn) ?? [0, 0];
}
