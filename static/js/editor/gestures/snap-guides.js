// What helps while cards are dragged: they line up with others in view, and one that is free is spliced into an edge.
import { HEIGHT, WIDTH, bounds, touches } from "../../canvas/geometry.js";
import { phaseOf } from "./connect-stages.js";
import { CANCEL, hint } from "../../canvas/hint-bar.js";
import { lift } from "./drag-layer.js";
import { indexOf, snap } from "./snap.js";
import { edgesFor, markSplice } from "./insert-into-transition.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {{id: string, points: Point[], around: import("../../canvas/geometry.js").Box}} Course */

const REACH = 6; // pixels of the window
const CROWD = 400; // of so many cards in view, no line would tell anything
const OVER = 30; // how near its middle an edge must pass for a card to be on it

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {Map<string, Point>} from the cards that are dragged, and where they were taken up
 */
export function aid(canvas, view, from) {
  const shown = { ...view.middle, width: view.window.width / view.scale, height: view.window.height / view.scale };
  [shown.x, shown.y] = [shown.x - shown.width / 2, shown.y - shown.height / 2];
  const others = [...canvas.cards]
    .filter(([id, card]) => !from.has(id) && touches(card, shown))
    .map(([, card]) => boxOf(card));
  const index = indexOf(others.length > CROWD ? [] : others);
  const box = /** @type {import("../../canvas/geometry.js").Box} */ (
    bounds([...from].map(([id, point]) => ({ ...boxOf(canvas.cards.get(id)), ...point })))
  );
  const courses = coursesFor(canvas, [...from.keys()], shown);
  const lines = guideLines(canvas);
  const lower = lift(canvas, view, [...from.keys()]);
  let edge = "";

  const frame = frameLeft(canvas, from);
  let done = frame ? hint(`In the frame “${frame}”.`, [["Alt", "takes it out"], CANCEL]) : () => {};
  const mark = (id) => {
    if (id === edge) return;
    markSplice(canvas, edge, false);
    markSplice(canvas, (edge = id), true);
    done();
    const { source = "", target = "" } = canvas.edges.get(id) ?? {};
    done = id
      ? hint(`Let go to insert it between ${phaseOf(canvas, source)} and ${phaseOf(canvas, target)}.`, [CANCEL])
      : () => {};
  };

  return {
    /**
     * Where cards are to be that were dragged so far. Alt or Ctrl leaves them to the hand.
     * @param {Point} by
     * @param {PointerEvent} event
     * @returns {Point}
     */
    steer(by, event) {
      const moved = { ...box, x: box.x + by.x, y: box.y + by.y };
      const free = event.altKey || event.ctrlKey || event.metaKey;
      const { dx, dy, guides } = free ? { dx: 0, dy: 0, guides: [] } : snap(moved, index, REACH / view.scale);
      const drawn = guides.map(([x1, y1, x2, y2]) => `M${x1},${y1}L${x2},${y2}`).join("");
      if (lines.getAttribute("d") !== drawn) lines.setAttribute("d", drawn);
      mark(courses.length ? under({ x: moved.x + dx + box.width / 2, y: moved.y + dy + box.height / 2 }, courses) : "");
      return { x: by.x + dx, y: by.y + dy };
    },
    /** It is over. @returns {string} the edge in which the card is to stand now */
    end() {
      const into = edge;
      mark("");
      done();
      lower();
      lines.remove();
      return into;
    },
  };
}

/**
 * The title of the frame that grows with what is dragged, as it holds others too; "" where there is none.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {Map<string, Point>} from
 */
function frameLeft({ framing, frames }, from) {
  const frame = [...from.keys()].map((id) => framing?.frameOf(id)).find(Boolean) ?? "";
  return framing?.cardsIn(frame)?.some((id) => !from.has(id)) ? (frames.get(frame)?.textContent ?? "").trim() : "";
}

/** @param {import("../../canvas/canvas.js").Card | undefined} card */
function boxOf(card) {
  const { x, y, element, width = WIDTH } = /** @type {import("../../canvas/canvas.js").Card} */ (card);
  return { x, y, width, height: element.dataset.phase === undefined ? element.offsetHeight : HEIGHT };
}

/**
 * The courses of the edges in view into which what is dragged can be spliced: one stage that leads, and is led to,
 * nowhere
 * else. Dragged across the other edges, a stage that has its place among others would tear it up.
 */
function coursesFor(canvas, ids, shown) {
  const [id] = ids;
  if (ids.length > 1 || canvas.cards.get(id)?.element.dataset.phase === undefined) return [];
  const own = [...canvas.edgesAt([id])].map((edge) => canvas.edges.get(edge));
  /** @type {Course[]} */
  const courses = [];
  for (const edge of edgesFor(canvas, id).keys()) {
    const { source, target, points } = canvas.edges.get(edge);
    const ends = [id, source, target];
    if (!own.every((way) => ends.includes(way.source) && ends.includes(way.target))) continue;
    if (![source, target].some((end) => touches(canvas.cards.get(end), shown))) continue;
    if (points) courses.push(courseOf(edge, points));
  }
  return courses;
}

/** A course, and the box in which something is near it. @param {string} id @param {Point[]} points @returns {Course} */
function courseOf(id, points) {
  const { x, y, width, height } = /** @type {import("../../canvas/geometry.js").Box} */ (
    bounds(points.map((point) => ({ ...point, width: 0, height: 0 })))
  );
  return { id, points, around: { x: x - OVER, y: y - OVER, width: width + 2 * OVER, height: height + 2 * OVER } };
}

/** The id of the course that passes a point most nearly, if any does. @param {Point} point @param {Course[]} courses */
function under(point, courses) {
  let [near, found] = [OVER, ""];
  for (const { id, points, around } of courses) {
    if (
      point.x < around.x ||
      point.y < around.y ||
      point.x > around.x + around.width ||
      point.y > around.y + around.height
    )
      continue;
    for (let at = 1; at < points.length; at += 1) {
      const distance = distanceTo(point, points[at - 1], points[at]);
      if (distance < near) [near, found] = [distance, id];
    }
  }
  return found;
}

/** From a point to the line between two others. @param {Point} point @param {Point} a @param {Point} b */
function distanceTo(point, a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const t = Math.max(0, Math.min(1, ((point.x - a.x) * x + (point.y - a.y) * y) / (x * x + y * y || 1)));
  return Math.hypot(point.x - a.x - t * x, point.y - a.y - t * y);
}

/** @param {import("../../canvas/canvas.js").Canvas} canvas */
function guideLines(canvas) {
  const lines = document.createElementNS("http://www.w3.org/2000/svg", "path");
  lines.setAttribute("class", "guides");
  canvas.viewport.querySelector("svg.edges")?.append(lines);
  return lines;
}
