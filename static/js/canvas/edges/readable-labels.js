// Which of some labels can be read where they are. Pure.
import { touches } from "../geometry.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */

/**
 * Those that lie on no card and on no other label: where two of them meet, the earlier stays.
 * @template {{box: Box}} Label
 * @param {Label[]} labels
 * @param {(Point | Box)[]} others cards, and labels that stand there anyway
 */
export function apart(labels, others) {
  /** @type {Label[]} */
  const seen = [];
  for (const label of labels) {
    if (!others.some((one) => touches(one, label.box)) && !seen.some(({ box }) => touches(box, label.box)))
      seen.push(label);
  }
  return seen;
}
