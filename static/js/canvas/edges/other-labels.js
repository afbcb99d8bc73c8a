// The boxes of the texts on the canvas that labels of transitions leave free: notes, the titles of frames, and the
// labels of routing rules.
import { WIDTH } from "../geometry.js";

/** @typedef {import("../geometry.js").Box} Box */

const LETTER = 7.5; // pixels: the estimated width of a letter
const TITLE = 26; // pixels: the height of a frame's title
const ABOVE = 1.8; // the factor from which titles are above their frames: zoom-levels.css
const [RULES, ARROW, WIDEST] = [22, 16, 176]; // pixels: a label of rules, its arrow, and its greatest width

/**
 * Return the boxes with the ids of their parts.
 * @param {import("../canvas.js").Canvas} canvas
 * @param {number} factor by which texts are enlarged at a small scale
 * @returns {[string, Box][]}
 */
export function otherLabels({ cards, frames, framing }, factor) {
  /** @type {[string, Box][]} */
  const boxes = [];
  for (const [id, { x, y, width, height = 0, element }] of cards) {
    if (width !== undefined) boxes.push([id, { x, y, width, height }]);
    else if (element.dataset.rules) boxes.push([id, rulesBox({ x, y }, element.dataset.rules, factor)]);
  }
  for (const [id, element] of frames) {
    const box = framing?.boxOf(id);
    const wide = 14 + (element.textContent ?? "").length * LETTER * factor;
    if (!box) continue;
    const height = TITLE * factor;
    const y = factor < ABOVE ? box.y : box.y - height;
    boxes.push([id, { x: box.x, y, width: factor < ABOVE ? Math.min(box.width, wide) : wide, height }]);
  }
  return boxes;
}

/**
 * The box of the label above a card.
 * @param {import("../geometry.js").Point} card
 * @param {string} words
 * @param {number} factor
 * @returns {Box}
 */
function rulesBox({ x, y }, words, factor) {
  const height = RULES * factor + ARROW;
  const width = Math.min(WIDEST, words.length * LETTER * factor + 18);
  return { x: x + WIDTH - 14 - width, y: y - height, width, height };
}
