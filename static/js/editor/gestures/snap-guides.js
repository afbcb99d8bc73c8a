// Help while cards are dragged: they snap to other cards in view, and a stage without other transitions is inserted
// into
// the edge under it.
import { HEIGHT, WIDTH, bounds, touches } from "../../canvas/geometry.js";
import { CANCEL, hint } from "../../canvas/hint-bar.js";
import { showDragLayer } from "./drag-layer.js";
import { edgesFor, markInsertion } from "./insert-into-transition.js";
import { indexOf, snap } from "./snap.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/canvas.js").Card} Card */
/** @typedef {import("../../canvas/geometry.js").Box} Box */
/** @typedef {import("../../canvas/geometry.js").Point} Point */
/**
 * An edge near which a stage is dragged: its line, the box near it, and whether it does not take the stage.
 * @typedef {{id: string, points: Point[], around: Box, isRefused?: boolean}} Target
 */

const REACH = 6; // pixels of the window within which cards snap
const MAX_CARDS = 400; // among more cards in view, guides would not be helpful
const NEAR = 30; // distance between the middle of a card and the edge that takes it

/**
 * Show guides until `end` is called.
 * @param {Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {Map<string, Point>} from the dragged cards, and the places where they were taken
 */
export function showGuides(canvas, view, from) {
  const shown = visibleBox(view);
  const others = [...canvas.cards.entries()].filter(([id, card]) => !from.has(id) && touches(card, shown));
  const index = indexOf(others.length > MAX_CARDS ? [] : others.map(([, card]) => boxOf(card)));
  const boxes = [...from].map(([id, point]) => ({ ...boxOf(canvas.cards.get(id)), ...point }));
  const box = /** @type {Box} */ (bounds(boxes));
  const targets = targetsFor(canvas, [...from.keys()], shown);
  const lines = guideLines(canvas);
  const lower = showDragLayer(canvas, view, [...from.keys()]);
  let edge = "";

  const frame = sharedFrame(canvas, from);
  let hideHint = frame ? hint(`In the frame “${frame}”.`, [["Alt", "takes it out"], CANCEL]) : () => {};
  let near = "";
  const mark = (id) => {
    if (id === near) return;
    near = id;
    const isRefused = targets.some((target) => target.id === id && target.isRefused);
    markInsertion(canvas, edge, false);
    markInsertion(canvas, (edge = isRefused ? "" : id), true);
    hideHint();
    const { source = "", target = "" } = canvas.edges.get(id) ?? {};
    const ends = `between ${canvas.phaseOf(source)} and ${canvas.phaseOf(target)}`;
    const sentence = isRefused
      ? `Not inserted ${ends}: it has other transitions. Its menu inserts it all the same.`
      : `Let go to insert it ${ends}.`;
    hideHint = id ? hint(sentence, isRefused ? [["Shift+i", "inserts it"]] : [CANCEL]) : () => {};
  };

  return {
    /**
     * The snapped distance of a drag. Alt or Ctrl drags freely.
     * @param {Point} by
     * @param {PointerEvent} event
     * @returns {Point}
     */
    snapped(by, event) {
      const moved = { ...box, x: box.x + by.x, y: box.y + by.y };
      const isFree = event.altKey || event.ctrlKey || event.metaKey;
      const { dx, dy, guides } = isFree ? { dx: 0, dy: 0, guides: [] } : snap(moved, index, REACH / view.scale);
      const drawn = guides.map(([x1, y1, x2, y2]) => `M${x1},${y1}L${x2},${y2}`).join("");
      if (lines.getAttribute("d") !== drawn) lines.setAttribute("d", drawn);
      const middle = { x: moved.x + dx + box.width / 2, y: moved.y + dy + box.height / 2 };
      mark(targets.length ? nearestTarget(middle, targets) : "");
      return { x: by.x + dx, y: by.y + dy };
    },
    /** End the drag. @returns {string} the edge that takes the card, or "" */
    end() {
      const into = edge;
      mark("");
      hideHint();
      lower();
      lines.remove();
      return into;
    },
  };
}

/** The part of the canvas in the window. @param {import("../../canvas/view.js").View} view @returns {Box} */
function visibleBox({ x, y, window, scale }) {
  return { x: -x / scale, y: -y / scale, width: window.width / scale, height: window.height / scale };
}

/**
 * The title of the frame that contains dragged cards and others, and so grows with the drag; "" for no frame.
 * @param {Canvas} canvas
 * @param {Map<string, Point>} from
 */
function sharedFrame({ framing, frames }, from) {
  const frame = [...from.keys()].map((id) => framing?.frameOf(id)).find(Boolean) ?? "";
  const hasOthers = framing?.cardsIn(frame)?.some((id) => !from.has(id));
  return hasOthers ? (frames.get(frame)?.textContent ?? "").trim() : "";
}

/** @param {Card | undefined} card @returns {Box} */
function boxOf(card) {
  const { x, y, element, width = WIDTH } = /** @type {Card} */ (card);
  return { x, y, width, height: element.dataset.phase === undefined ? element.offsetHeight : HEIGHT };
}

/**
 * The edges in view near which a stage can be dragged. A stage with other transitions has its place among those;
 * dragged across such an edge, it is not inserted, and a hint says why.
 * @param {Canvas} canvas
 * @param {string[]} ids
 * @param {Box} shown
 */
function targetsFor(canvas, ids, shown) {
  const [id] = ids;
  if (ids.length > 1 || canvas.cards.get(id)?.element.dataset.phase === undefined) return [];
  const own = [...canvas.edgesAt([id])].map((edge) => canvas.edges.get(edge));
  /** @type {Target[]} */
  const targets = [];
  for (const edge of edgesFor(canvas, id).keys()) {
    const { source, target, points } = canvas.edges.get(edge);
    const ends = [id, source, target];
    const isRefused = !own.every((other) => ends.includes(other.source) && ends.includes(other.target));
    if (![source, target].some((end) => touches(canvas.cards.get(end), shown))) continue;
    if (points) targets.push({ ...targetOf(edge, points), isRefused });
  }
  return targets;
}

/** @param {string} id @param {Point[]} points @returns {Target} */
function targetOf(id, points) {
  const dots = points.map((point) => ({ ...point, width: 0, height: 0 }));
  const { x, y, width, height } = /** @type {Box} */ (bounds(dots));
  return { id, points, around: { x: x - NEAR, y: y - NEAR, width: width + 2 * NEAR, height: height + 2 * NEAR } };
}

/** The id of the edge nearest to a point, or "" if none is near. @param {Point} point @param {Target[]} targets */
function nearestTarget(point, targets) {
  let [nearest, found] = [NEAR, ""];
  for (const { id, points, around } of targets) {
    if (point.x < around.x || point.x > around.x + around.width) continue;
    if (point.y < around.y || point.y > around.y + around.height) continue;
    for (let at = 1; at < points.length; at += 1) {
      const distance = distanceTo(point, points[at - 1], points[at]);
      if (distance < nearest) [nearest, found] = [distance, id];
    }
  }
  return found;
}

/** The distance between a point and the line from `a` to `b`. @param {Point} point @param {Point} a @param {Point} b */
function distanceTo(point, a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const t = Math.max(0, Math.min(1, ((point.x - a.x) * x + (point.y - a.y) * y) / (x * x + y * y || 1)));
  return Math.hypot(point.x - a.x - t * x, point.y - a.y - t * y);
}

/** @param {Canvas} canvas */
function guideLines(canvas) {
  const lines = document.createElementNS("http://www.w3.org/2000/svg", "path");
  lines.setAttribute("class", "guides");
  canvas.viewport.querySelector("svg.edges")?.append(lines);
  return lines;
}
