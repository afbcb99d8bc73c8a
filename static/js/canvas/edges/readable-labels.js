// Selects the labels that are readable at their places. Pure functions.
import { touches } from "../geometry.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */

/**
 * Return the labels that overlap no card and no other label. Of two labels that overlap, the first remains.
 * @template {{box: Box}} Label
 * @param {Label[]} labels
 * @param {(Point | Box)[]} others cards, and labels in fixed places
 */
export function readable(labels, others) {
  /** @type {Label[]} */
  const seen = [];
  for (const label of labels) {
    if (!others.some((one) => touches(one, label.box)) && !seen.some(({ box }) => touches(box, label.box)))
      seen.push(label);
  }
  return seen;
}
