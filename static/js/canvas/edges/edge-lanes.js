// Separates paths that would overlap: they run side by side in lanes. Pure functions.
import { grown } from "../spatial-index.js";

/** @typedef {import("../geometry.js").Box} Box */
/** @typedef {import("../geometry.js").Point} Point */
/** A path of horizontal and vertical lines, with the id of its edge. @typedef {{key: string, points: Point[]}} Path */
/**
 * A line of a path, not its first or last. It extends from `low` to `high`, lies `at` a coordinate across, and may be
 * moved between `least` and `most`. `turns` tells for both ends whether the path comes from below (1) or above (-1).
 * @typedef {{path: Path, index: number, at: number, low: number, high: number, least: number, most: number, turns:
 * number[]}} Run
 */

const APART = 10; // pixels between lanes
const CLEAR = 8; // pixels between a lane and a card
const AROUND = 80; // pixels within which cards limit a lane
const AXES = { x: "y", y: "x" };

/**
 * Return the paths in lanes. The first and the last line of each path stay.
 * @param {Map<string, Point[]>} paths by edge
 * @param {import("../spatial-index.js").Cells<Box>} cards
 * @returns {Map<string, Point[]>}
 */
export function inLanes(paths, cards) {
  const moved = [...paths].map(([key, points]) => ({ key, points: points.map((point) => ({ ...point })) }));
  for (const across of /** @type {const} */ (["x", "y"])) {
    for (const runs of crowds(moved.flatMap((path) => runsOf(path, across, cards)))) share(runs, across);
  }
  return new Map(moved.map(({ key, points }) => [key, points]));
}

/**
 * The lines of a path that can be moved.
 * @param {Path} path
 * @param {"x" | "y"} across
 * @param {import("../spatial-index.js").Cells<Box>} cards
 * @returns {Run[]}
 */
function runsOf(path, across, cards) {
  const along = AXES[across];
  /** @type {Run[]} */
  const runs = [];
  const { points } = path;
  for (let index = 1; index < points.length - 2; index += 1) {
    const [p, q] = [points[index], points[index + 1]];
    if (p[across] !== q[across]) continue;
    const forward = p[along] < q[along];
    const [before, after] = [points[index - 1], points[index + 2]];
    const turns = [Math.sign(before[across] - p[across]), Math.sign(after[across] - q[across])];
    const [low, high] = [Math.min(p[along], q[along]), Math.max(p[along], q[along])];
    runs.push({
      path,
      index,
      at: p[across],
      low,
      high,
      ...room(p[across], low, high, across, cards),
      turns: forward ? turns : turns.reverse(),
    });
  }
  return runs;
}

/** The range within which a line may be moved without coming near a card. */
function room(at, low, high, across, cards) {
  const [size, along, length] = across === "x" ? ["width", "y", "height"] : ["height", "x", "width"];
  const strip = grown(/** @type {Box} */ ({ [across]: at, [size]: 0, [along]: low, [length]: high - low }), 0);
  strip[across] -= AROUND;
  strip[size] += 2 * AROUND;
  let [least, most] = [at - AROUND, at + AROUND];
  for (const card of cards.within(strip)) {
    if (card[across] + card[size] <= at) least = Math.max(least, Math.min(at, card[across] + card[size] + CLEAR));
    else if (card[across] >= at) most = Math.min(most, Math.max(at, card[across] - CLEAR));
  }
  return { least, most };
}

/** Groups of lines that overlap, or nearly. @param {Run[]} runs */
function crowds(runs) {
  runs.sort((a, b) => a.at - b.at || a.low - b.low || a.high - b.high || (a.path.key < b.path.key ? -1 : 1));
  /** @type {Run[][]} */
  const found = [];
  /** @type {{at: number, high: number, runs: Run[]}[]} */
  let open = [];
  for (const run of runs) {
    open = open.filter((crowd) => crowd.at > run.at - APART);
    const near = open.filter((crowd) =>
      crowd.runs.some(
        (other) => other.high > run.low - APART && run.high > other.low - APART && run.at - other.at < APART,
      ),
    );
    const [first, ...rest] = near;
    if (!first) {
      const crowd = { at: run.at, high: run.high, runs: [run] };
      open.push(crowd);
      found.push(crowd.runs);
      continue;
    }
    for (const other of rest) {
      first.runs.push(...other.runs.splice(0));
      open.splice(open.indexOf(other), 1);
    }
    first.runs.push(run);
    first.at = run.at;
  }
  return found.filter((runs) => runs.length > 1);
}

/**
 * Distribute the lines of a group over as few lanes as possible, in an order with few crossings.
 * @param {Run[]} runs
 * @param {"x" | "y"} across
 */
function share(runs, across) {
  const ordered = runs.map((run) => ({ run, place: placeOf(run) })).sort((a, b) => compare(a.place, b.place));
  /** @type {Run[][]} */
  const lanes = [];
  for (const { run } of ordered) {
    // A line goes after the lines before it that it meets.
    let lane = 0;
    for (let at = lanes.length - 1; at >= 0 && !lane; at -= 1)
      if (lanes[at].some((other) => other.high > run.low - APART && run.high > other.low - APART)) lane = at + 1;
    (lanes[lane] ??= []).push(run);
  }
  const least = Math.max(...runs.map((run) => run.least));
  const most = Math.min(...runs.map((run) => run.most));
  const apart = Math.min(APART, Math.max(0, most - least) / Math.max(1, lanes.length - 1));
  const wide = apart * (lanes.length - 1);
  const middle = (Math.min(...runs.map(({ at }) => at)) + Math.max(...runs.map(({ at }) => at))) / 2;
  const start = Math.max(least, Math.min(most - wide, middle - wide / 2));
  lanes.forEach((lane, place) => {
    for (const { path, index } of lane)
      path.points[index][across] = path.points[index + 1][across] = start + place * apart;
  });
}

/**
 * The rank of a line in its group, chosen so that its turns cross few other lines: first the lines that turn to the
 * lower side at both ends, the shorter ones first; last those that turn to the higher side at both ends, the longer
 * ones first.
 * @param {Run} run
 */
function placeOf({ turns: [from, to], low, high, path, index }) {
  if (from < 0 && to < 0) return [0, high - low, path.key, index];
  if (from > 0 && to > 0) return [3, low - high, path.key, index];
  return from < 0 ? [1, -low, path.key, index] : [2, low, path.key, index];
}

/** @param {(string | number)[]} a @param {(string | number)[]} b */
function compare(a, b) {
  const at = a.findIndex((part, at) => part !== b[at]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
}
