// Finds paths around cards: the cheapest path of horizontal and vertical lines, with round corners. Pure functions.
import { boxOf, grown } from "../spatial-index.js";
export { inLanes } from "./edge-lanes.js";

/** @typedef {import("../geometry.js").Box} Box */
/** @typedef {import("../geometry.js").Point} Point */
/**
 * A possible start or end of a path: a point on the rim of a card, its side, and the cost of using it.
 * @typedef {{x: number, y: number, side: "left" | "right" | "top" | "bottom", cost: number}} Port
 */

const BEND = 60; // cost of a bend, in pixels of length
const MAX_CROSSINGS = 6000; // largest number of crossings to examine

/** Distances from cards, and sizes of the region around both ends, in the order of the attempts. */
const TRIES = [
  { margin: 22, by: 180 },
  { margin: 11, by: 180 },
  { margin: 22, by: 560 },
];
const MAX_CARDS = 150; // largest number of cards in the region
const ASIDE = 140; // cost of an unusual side
const ROUND = [36, 16]; // radii of corners, the preferred one first

const OUT = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] };
const [LEVEL, UPRIGHT] = [0, 1];

/**
 * Return the path from one card to another around the cards between them, or null; and the field on whose cards the
 * result depends.
 * @param {Box} a
 * @param {Box} b
 * @param {(box: Box) => Box[]} cardsIn
 */
export function detourBetween(a, b, cardsIn) {
  const [starts, ends] = portsOf(a, b);
  let field = boxOf([a, b]);
  for (const { margin, by } of TRIES) {
    const region = grown(boxOf([a, b]), by);
    field = boxOf([field, grown(region, margin)]);
    const boxes = cardsIn(grown(region, margin));
    if (boxes.length > MAX_CARDS) break;
    const path = detour(starts, ends, boxes, region, margin);
    if (path) return { path, field };
  }
  return { path: null, field };
}

/** Possible drawings of some paths, with points along them; the roundest first. @param {Point[][]} paths */
export const rounded = (paths) => paths.flatMap((path) => ROUND.map((radius) => roundedBy(path, radius)));

/**
 * Return the cheapest path from one of some ports to one of others that keeps clear of all boxes, or null if there is
 * none within the region or within the limits of the search. Paths run beside the boxes, so only few lines of the plane
 * are considered.
 * @param {Port[]} starts
 * @param {Port[]} ends
 * @param {Box[]} boxes
 * @param {Box} region
 * @param {number} margin distance from the boxes
 * @returns {Point[] | null}
 */
export function detour(starts, ends, boxes, region, margin) {
  const begins = starts.map((port) => stubOf(port, margin));
  const goals = ends.map((port) => stubOf(port, margin));
  const xs = linesOf(
    [...begins, ...goals].map(({ x }) => x),
    boxes.flatMap(({ x, width }) => [x - margin, x + width + margin]),
    region.x,
    region.x + region.width,
  );
  const ys = linesOf(
    [...begins, ...goals].map(({ y }) => y),
    boxes.flatMap(({ y, height }) => [y - margin, y + height + margin]),
    region.y,
    region.y + region.height,
  );
  const [across, down] = [xs.length, ys.length];
  const blocked = [new Uint8Array(across * down), new Uint8Array(across * down)];
  for (const box of boxes) block(blocked, xs, ys, box, margin);

  // A state is a crossing of two lines and the direction of arrival: level or upright.
  const size = across * down * 2;
  const [costs, before] = [new Float64Array(size).fill(Infinity), new Int32Array(size).fill(-1)];
  const heap = new Heap();
  const stateOf = ({ x, y, side }) => (firstAt(ys, y) * across + firstAt(xs, x)) * 2 + (OUT[side][0] ? LEVEL : UPRIGHT);
  const finals = new Map(goals.map((goal, at) => [stateOf(goal), at]));
  const left = (x, y) => {
    let least = Infinity;
    for (const goal of goals)
      least = Math.min(
        least,
        Math.abs(goal.x - x) + Math.abs(goal.y - y) + (x !== goal.x && y !== goal.y ? BEND : 0) + goal.cost,
      );
    return least;
  };
  const reach = (state, cost, from) => {
    if (cost >= costs[state]) return;
    costs[state] = cost;
    before[state] = from;
    const point = state >> 1;
    heap.push(cost + left(xs[point % across], ys[Math.floor(point / across)]), state);
  };
  begins.forEach((begin) => reach(stateOf(begin), begin.cost, -1));

  let [best, bestCost] = [-1, Infinity];
  for (let examined = 0; heap.size && examined < MAX_CROSSINGS; examined += 1) {
    const priority = heap.least;
    if (priority >= bestCost) break;
    const state = heap.pop();
    const cost = costs[state];
    const [point, direction] = [state >> 1, state & 1];
    const final = finals.get(state);
    if (final !== undefined && cost + goals[final].cost < bestCost)
      [best, bestCost] = [state, cost + goals[final].cost];
    const [column, row] = [point % across, Math.floor(point / across)];
    const turned = cost + BEND;
    const [level, upright] = direction === LEVEL ? [cost, turned] : [turned, cost];
    if (column + 1 < across && !blocked[LEVEL][point])
      reach((point + 1) * 2, level + xs[column + 1] - xs[column], state);
    if (column > 0 && !blocked[LEVEL][point - 1]) reach((point - 1) * 2, level + xs[column] - xs[column - 1], state);
    if (row + 1 < down && !blocked[UPRIGHT][point])
      reach((point + across) * 2 + 1, upright + ys[row + 1] - ys[row], state);
    if (row > 0 && !blocked[UPRIGHT][point - across])
      reach((point - across) * 2 + 1, upright + ys[row] - ys[row - 1], state);
    reach(state ^ 1, turned, state);
  }
  if (best < 0) return null;

  const goal = goals[/** @type {number} */ (finals.get(best))];
  /** @type {Point[]} */
  const path = [goal.port];
  let state = best;
  for (; ; state = before[state]) {
    const point = state >> 1;
    path.push({ x: xs[point % across], y: ys[Math.floor(point / across)] });
    if (before[state] < 0) break;
  }
  const { x, y } = path[path.length - 1];
  path.push(
    /** @type {any} */ (begins.find((begin) => begin.x === x && begin.y === y && stateOf(begin) === state)).port,
  );
  return straight(path.reverse());
}

/** Remove the points at which a path does not turn. @param {Point[]} path @returns {Point[]} */
function straight(path) {
  /** @type {Point[]} */
  const found = [];
  for (const { x, y } of path) {
    const [before, last] = [found.at(-2), found.at(-1)];
    if (last && last.x === x && last.y === y) continue;
    if (before && last && ((before.x === last.x && last.x === x) || (before.y === last.y && last.y === y))) found.pop();
    found.push({ x, y });
  }
  return found;
}

/**
 * The ports of a path. A forward path leaves on the right and arrives on the left.
 * @param {Box} a
 * @param {Box} b
 * @returns {Port[][]}
 */
function portsOf(a, b) {
  const onward = b.x - (a.x + a.width) > 0 ? ASIDE : 0;
  const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
  const [from, to] = [middle(a), middle(b)];
  return [
    [
      { x: a.x + a.width, y: from.y, side: "right", cost: 0 },
      { x: from.x, y: a.y, side: "top", cost: onward },
      { x: from.x, y: a.y + a.height, side: "bottom", cost: onward },
    ],
    [
      { x: b.x, y: to.y, side: "left", cost: 0 },
      { x: to.x, y: b.y, side: "top", cost: onward },
      { x: to.x, y: b.y + b.height, side: "bottom", cost: onward },
    ],
  ];
}

/**
 * The first point at which a path may turn after a port, or the last before it.
 * @param {Port} port
 * @param {number} margin
 */
function stubOf(port, margin) {
  const [dx, dy] = OUT[port.side];
  return {
    x: port.x + dx * margin,
    y: port.y + dy * margin,
    side: port.side,
    cost: port.cost,
    port: { x: port.x, y: port.y },
  };
}

/**
 * The sorted coordinates of lines, without duplicates.
 * @param {number[]} always
 * @param {number[]} lines
 * @param {number} low
 * @param {number} high
 */
function linesOf(always, lines, low, high) {
  const sorted = [...always, ...lines.filter((line) => line >= low && line <= high)].sort((a, b) => a - b);
  return sorted.filter((line, at) => line !== sorted[at - 1]);
}

/**
 * Mark the lines between crossings that pass through a box or its margin.
 * @param {Uint8Array[]} blocked
 * @param {number[]} xs
 * @param {number[]} ys
 * @param {Box} box
 * @param {number} margin
 */
function block([level, upright], xs, ys, { x, y, width, height }, margin) {
  const across = xs.length;
  const columns = within(xs, x - margin, x + width + margin);
  const rows = within(ys, y - margin, y + height + margin);
  for (let row = rows.first; row <= rows.last; row += 1)
    level.fill(1, row * across + columns.from, row * across + columns.to);
  for (let row = rows.from; row < rows.to; row += 1) {
    for (let column = columns.first; column <= columns.last; column += 1) upright[row * across + column] = 1;
  }
}

/**
 * The lines between two coordinates, and the gaps between lines there.
 * @param {number[]} lines
 * @param {number} low
 * @param {number} high
 */
function within(lines, low, high) {
  const [at, end] = [firstAt(lines, low), firstAt(lines, high)];
  const [first, last] = [lines[at] === low ? at + 1 : at, end - 1];
  return { first, last, from: Math.max(0, first - 1), to: Math.min(end, lines.length - 1) };
}

/**
 * The index of the first of sorted numbers that is not less than a number.
 * @param {number[]} sorted
 * @param {number} number
 */
function firstAt(sorted, number) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A heap of states by priority. Of equal priorities the latest state comes first: it is likely to be farther along. */
class Heap {
  constructor() {
    /** @type {number[]} */
    this.priorities = [];
    /** @type {number[]} */
    this.states = [];
  }

  get size() {
    return this.states.length;
  }

  get least() {
    return this.priorities[0];
  }

  /** @param {number} priority @param {number} state */
  push(priority, state) {
    const { priorities, states } = this;
    let at = states.length;
    for (let up; at > 0 && priority <= priorities[(up = (at - 1) >> 1)]; at = up) {
      priorities[at] = priorities[up];
      states[at] = states[up];
    }
    priorities[at] = priority;
    states[at] = state;
  }

  pop() {
    const { priorities, states } = this;
    const first = states[0];
    const [priority, state] = [/** @type {number} */ (priorities.pop()), /** @type {number} */ (states.pop())];
    const { length } = states;
    if (!length) return first;
    let at = 0;
    for (;;) {
      let down = at * 2 + 1;
      if (down >= length) break;
      if (down + 1 < length && priorities[down + 1] < priorities[down]) down += 1;
      if (priorities[down] >= priority) break;
      priorities[at] = priorities[down];
      states[at] = states[down];
      at = down;
    }
    priorities[at] = priority;
    states[at] = state;
    return first;
  }
}

/**
 * The drawing of a path with round corners, and points along it.
 * @param {Point[]} crooked
 * @param {number} most the largest radius
 */
function roundedBy(crooked, most) {
  const path = straight(crooked);
  let d = `M${coordinates(path[0])}`;
  const points = [path[0]];
  for (let at = 1; at < path.length - 1; at += 1) {
    const [before, corner, after] = [path[at - 1], path[at], path[at + 1]];
    const radius = Math.min(most, far(before, corner) / 2, far(corner, after) / 2);
    const [from, to] = [toward(corner, before, radius), toward(corner, after, radius)];
    d += `L${coordinates(from)}Q${coordinates(corner)} ${coordinates(to)}`;
    points.push(from, { x: (from.x + 2 * corner.x + to.x) / 4, y: (from.y + 2 * corner.y + to.y) / 4 }, to);
  }
  const last = path[path.length - 1];
  return { d: `${d}L${coordinates(last)}`, points: [...points, last] };
}

/** @param {Point} a @param {Point} b */
const far = (a, b) => Math.hypot(b.x - a.x, b.y - a.y);

/** @param {Point} from @param {Point} to @param {number} by @returns {Point} */
function toward(from, to, by) {
  const length = far(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
}

/** @param {Point} point */
const coordinates = ({ x, y }) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
