// Overlaps of cards and boxes, and points of curves. Pure functions that the first view does not need.
import { HEIGHT, WIDTH } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */

/** Whether a card touches a box. @param {Point | Box} card @param {Box} box */
export const touches = ({ x, y, width = WIDTH, height = HEIGHT }, box) =>
  x < box.x + box.width && x + width > box.x && y < box.y + box.height && y + height > box.y;

/** The middle of a curve. @param {number[]} curve @returns {Point} */
export const middleOf = ([x0, y0, x1, y1, x2, y2, x3, y3]) => ({
  x: (x0 + 3 * x1 + 3 * x2 + x3) / 8,
  y: (y0 + 3 * y1 + 3 * y2 + y3) / 8,
});
