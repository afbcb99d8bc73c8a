// Snapping: aligns a dragged box with other boxes, or spaces it evenly among them. Pure functions.

/** @typedef {import("../../canvas/geometry.js").Box} Box */
/** @typedef {{at: number, box: Box}} Line */
/** The lines of all boxes: near edges, middles, far edges. @typedef {{boxes: Box[], x: Line[][], y: Line[][]}} Index */
/** The coordinates of both ends. @typedef {[number, number, number, number]} Guide */

/** Near edge, middle, far edge. Of equally near lines, the middle counts. */
const KINDS = [1, 0, 2];
const AXES = { x: { size: "width", across: "y", depth: "height" }, y: { size: "height", across: "x", depth: "width" } };

/** Sort the lines of boxes once, so that no frame has to examine all of them. @param {Box[]} boxes @returns {Index} */
export function indexOf(boxes) {
  const sorted = (axis) =>
    [0, 1, 2].map((kind) => boxes.map((box) => ({ at: lineOf(box, axis, kind), box })).sort((a, b) => a.at - b.at));
  return { boxes, x: sorted("x"), y: sorted("y") };
}

/**
 * Return the distance by which a box snaps, and the guides that show it.
 * @param {Box} box
 * @param {Index} index
 * @param {number} reach largest distance
 * @returns {{dx: number, dy: number, guides: Guide[]}}
 */
export function snap(box, index, reach) {
  const found = { x: pullOf(box, index, "x", reach), y: pullOf(box, index, "y", reach) };
  const moved = { ...box, x: box.x + (found.x?.by ?? 0), y: box.y + (found.y?.by ?? 0) };
  const guides = [...(found.x?.guides(moved) ?? []), ...(found.y?.guides(moved) ?? [])];
  return { dx: found.x?.by ?? 0, dy: found.y?.by ?? 0, guides };
}

/**
 * Snap along one axis: to lines first, then to equal gaps.
 * @param {Box} box
 * @param {Index} index
 * @param {"x" | "y"} axis
 * @param {number} reach
 */
function pullOf(box, index, axis, reach) {
  let best = { by: Infinity, kind: 1 };
  for (const kind of KINDS) {
    const by = nearest(index[axis][kind], lineOf(box, axis, kind));
    if (Math.abs(by) < Math.abs(best.by) - 0.01) best = { by, kind };
  }
  if (Math.abs(best.by) <= reach)
    return { by: best.by, guides: (moved) => [along(moved, index[axis][best.kind], axis, best.kind)] };
  return gapOf(box, index.boxes, axis, reach);
}

/** The distance of the nearest line. @param {Line[]} lines @param {number} at */
function nearest(lines, at) {
  const place = firstFrom(lines, at);
  return [lines[place - 1], lines[place]].reduce(
    (best, line) => (line && Math.abs(line.at - at) < Math.abs(best) ? line.at - at : best),
    Infinity,
  );
}

/** The index of the first line at or beyond a point. @param {Line[]} lines @param {number} at */
function firstFrom(lines, at) {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The guide through a box and all boxes aligned with it.
 * @param {Box} box
 * @param {Line[]} lines
 * @param {"x" | "y"} axis
 * @param {number} kind
 * @returns {Guide}
 */
function along(box, lines, axis, kind) {
  const { across, depth } = AXES[axis];
  const at = lineOf(box, axis, kind);
  let [from, to] = [box[across], box[across] + box[depth]];
  for (let place = firstFrom(lines, at - 0.5); place < lines.length && lines[place].at <= at + 0.5; place += 1) {
    const other = lines[place].box;
    from = Math.min(from, other[across]);
    to = Math.max(to, other[across] + other[depth]);
  }
  return axis === "x" ? [at, from, at, to] : [from, at, to, at];
}

/**
 * Equal gaps in a row or a column: between two boxes, or beyond two.
 * @param {Box} box
 * @param {Box[]} boxes
 * @param {"x" | "y"} axis
 * @param {number} reach
 */
function gapOf(box, boxes, axis, reach) {
  const { size, across, depth } = AXES[axis];
  const end = (other) => other[axis] + other[size];
  const row = boxes.filter(
    (other) => other[across] < box[across] + box[depth] && other[across] + other[depth] > box[across],
  );
  const before = row
    .filter((other) => end(other) <= box[axis] + reach)
    .sort((a, b) => end(b) - end(a))
    .slice(0, 2);
  const after = row
    .filter((other) => other[axis] >= end(box) - reach)
    .sort((a, b) => a[axis] - b[axis])
    .slice(0, 2);
  const wanted = [];
  if (before[0] && after[0])
    wanted.push({
      at: (end(before[0]) + after[0][axis] - box[size]) / 2,
      between: [
        [before[0], null],
        [null, after[0]],
      ],
    });
  if (before[1])
    wanted.push({
      at: end(before[0]) + before[0][axis] - end(before[1]),
      between: [
        [before[1], before[0]],
        [before[0], null],
      ],
    });
  if (after[1])
    wanted.push({
      at: after[0][axis] - (after[1][axis] - end(after[0])) - box[size],
      between: [
        [null, after[0]],
        [after[0], after[1]],
      ],
    });
  const fitting = wanted.map((one) => ({ ...one, by: one.at - box[axis] })).filter(({ by }) => Math.abs(by) <= reach);
  const [best] = fitting.sort((a, b) => Math.abs(a.by) - Math.abs(b.by));
  if (!best) return null;
  return {
    by: best.by,
    guides: (moved) =>
      best.between.map((pair) => {
        const [a, b] = pair.map((one) => one ?? moved);
        const middle = moved[across] + moved[depth] / 2;
        return /** @type {Guide} */ (
          axis === "x" ? [end(a), middle, b[axis], middle] : [middle, end(a), middle, b[axis]]
        );
      }),
  };
}

/**
 * The coordinate of a line of a box.
 * @param {Box} box
 * @param {"x" | "y"} axis
 * @param {number} kind 0, 1 or 2: near edge, middle, far edge
 */
const lineOf = (box, axis, kind) => box[axis] + (box[AXES[axis].size] * kind) / 2;
