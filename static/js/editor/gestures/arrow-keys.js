// Arrow keys: move the selection, and walk from stage to stage.
import { startDragging } from "./move-cards.js";
import { focused } from "../selection.js";
import { GRID } from "../../canvas/geometry.js";
import { neighbour } from "../../canvas/neighbour.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const BURST = 500; // milliseconds without an arrow key that end a move

/** @type {{key: string, dragged: ReturnType<typeof startDragging>, x: number, y: number, timer: number} | null} */
let burst = null;

/**
 * Move the selection or, without one, the view. While a transition is being drawn, go to the neighbouring stage.
 * @param {Page} page
 * @param {unknown} _at
 * @param {KeyboardEvent} event
 */
export function nudge({ canvas, view, selection, connecting }, _at, { key, shiftKey }) {
  if (connecting.source) return focus(canvas, neighbourOf(canvas, focused() || connecting.source, key));
  const [dx, dy] = ARROWS[key].map((step) => step * GRID * (shiftKey ? 4 : 1));
  const cards = selection.subject.filter((id) => canvas.cards.has(id) || canvas.frames.has(id));
  if (cards.length && !document.body.classList.contains("view-only")) move(canvas, cards, dx, dy);
  else view.pan(-dx * 8, -dy * 8);
}

/**
 * Follow a transition, or go to the neighbouring stage.
 * @param {Page} page
 * @param {unknown} _at
 * @param {KeyboardEvent} event
 */
export function walk({ canvas, view, selection }, _at, { key }) {
  const start = focused() || [...selection.ids][0] || canvas.stages[0]?.[0];
  if (!start) return;
  const direction = key === "ArrowRight" ? ["source", "target"] : key === "ArrowLeft" ? ["target", "source"] : null;
  const edge = canvas.edges.get(start);
  const ends = edge ? (direction ? [edge[direction[1]]] : []) : direction ? connected(canvas, start, direction) : [];
  const to = ends[0] ?? neighbourOf(canvas, edge?.source ?? start, key);
  if (!to || !canvas.cards.has(to)) return;
  focus(canvas, to);
  view.reveal(canvas.cards.get(to));
  selection.pick(to);
}

/**
 * Move cards by one step; the steps of a burst are saved as one edit.
 * @param {Canvas} canvas
 * @param {string[]} ids
 * @param {number} dx
 * @param {number} dy
 */
function move(canvas, ids, dx, dy) {
  const key = ids.join(" ");
  if (burst?.key !== key) settle();
  burst ??= { key, dragged: startDragging(canvas, ids), x: 0, y: 0, timer: 0 };
  burst.dragged.to((burst.x += dx), (burst.y += dy));
  clearTimeout(burst.timer);
  burst.timer = setTimeout(settle, BURST);
}

function settle() {
  const { dragged, timer } = burst ?? {};
  clearTimeout(timer);
  burst = null;
  return dragged?.drop(1);
}
addEventListener("pointerdown", settle, { capture: true });
addEventListener("pagehide", settle);
addEventListener("keydown", (event) => !ARROWS[event.key] && event.key !== "Shift" && settle(), { capture: true });

/** @param {Canvas} canvas @param {string | null | undefined} id */
const focus = (canvas, id) => canvas.elementOf(id ?? "")?.focus({ preventScroll: true });

/**
 * The ends of a stage's transitions, `next` first.
 * @param {Canvas} canvas
 * @param {string} id
 * @param {string[]} direction
 */
function connected(canvas, id, [near, far]) {
  const edges = [...canvas.edgesAt([id])].map((edge) => canvas.edges.get(edge)).filter((edge) => edge?.[near] === id);
  edges.sort((a, b) => (a?.element.dataset.kind ?? "").localeCompare(b?.element.dataset.kind ?? ""));
  return edges.map((edge) => edge?.[far]);
}

/** @param {Canvas} canvas @param {string} id @param {string} key */
function neighbourOf(canvas, id, key) {
  const card = canvas.cards.get(id);
  return card ? neighbour(card, /** @type {any} */ (key), canvas.stages) : null;
}
