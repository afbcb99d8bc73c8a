// A spatial index: finds the items near a place without examining all. Pure.
import { bounds } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */

const FAR = 1 << 20; // more columns than any drawing has

/** Boxes in square cells. @template Item */
export class Cells {
  /** @param {number} [size] of a cell, in pixels */
  constructor(size = 256) {
    this.size = size;
    /** @type {Map<number, {box: Box, item: Item, seen: number}[]>} */
    this.cells = new Map();
    this.turn = 0;
  }

  /** @param {Item} item @param {Box} box */
  add(item, box) {
    const entry = { box, item, seen: 0 };
    this.#each(box, (key) => {
      const cell = this.cells.get(key);
      if (cell) cell.push(entry);
      else this.cells.set(key, [entry]);
    });
  }

  /** The items that touch a box, each once. @param {Box} box @returns {Item[]} */
  within(box) {
    const turn = (this.turn += 1);
    /** @type {Item[]} */
    const found = [];
    this.#each(box, (key) => {
      for (const entry of this.cells.get(key) ?? []) {
        if (entry.seen === turn) continue;
        entry.seen = turn;
        if (meet(entry.box, box)) found.push(entry.item);
      }
    });
    return found;
  }

  /** @param {Box} box @param {(key: number) => void} visit */
  #each({ x, y, width, height }, visit) {
    const { size } = this;
    const [right, bottom] = [Math.floor((x + width) / size), Math.floor((y + height) / size)];
    for (let row = Math.floor(y / size); row <= bottom; row += 1) {
      for (let column = Math.floor(x / size); column <= right; column += 1) visit(row * FAR + column);
    }
  }
}

/** Report whether two boxes have a point in common. @param {Box} a @param {Box} b */
export const meet = (a, b) =>
  a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;

/** A box enlarged by `by` pixels on each side. @param {Box} box @param {number} by @returns {Box} */
export const grown = ({ x, y, width, height }, by) => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

/**
 * Report whether the straight line from `p` to `q` passes through a box; a line along its rim does not.
 * @param {import("./geometry.js").Point} p
 * @param {import("./geometry.js").Point} q
 * @param {Box} box
 */
export function passes(p, q, { x, y, width, height }) {
  const [dx, dy] = [q.x - p.x, q.y - p.y];
  let [from, to] = [0, 1];
  for (const [by, start, low, high] of [
    [dx, p.x, x, x + width],
    [dy, p.y, y, y + height],
  ]) {
    if (!by) {
      if (start <= low || start >= high) return false;
      continue;
    }
    const [a, b] = by > 0 ? [(low - start) / by, (high - start) / by] : [(high - start) / by, (low - start) / by];
    from = Math.max(from, a);
    to = Math.min(to, b);
    if (from >= to) return false;
  }
  return true;
}

/** The box around points. @param {import("./geometry.js").Point[]} points @returns {Box} */
export const around = (points) => boxOf(points.map(({ x, y }) => ({ x, y, width: 0, height: 0 })));

/** The box around boxes. @param {Box[]} boxes @returns {Box} */
export const boxOf = (boxes) => /** @type {Box} */ (bounds(boxes));
