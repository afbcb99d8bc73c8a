// The keyboard on the canvas. No shortcut fires while a field has the focus, and Tab is never taken.
import { addFreely } from "./add.js";
import { lift } from "./drag.js";
import { GRID, neighbour } from "./geometry.js";
import { submit } from "./gestures.js";
import { isField } from "./hand.js";
import { announce } from "./notice.js";
import { remove } from "./remove.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./view.js").View} View */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ZOOM = { 1: "fit", 0: "actual", "+": "in", "=": "in", "-": "out" };
const BURST = 500; // milliseconds without an arrow key that end a nudge

/** Whether the canvas has the keyboard: the focus is on it, or nowhere. @param {KeyboardEvent} event @param {Canvas} canvas */
const isOurs = (event, canvas) =>
  !event.defaultPrevented && !isField(event.target) && (canvas.element.contains(/** @type {Node} */ (event.target)) || event.target === document.body);

/** @param {KeyboardEvent} event @param {Canvas} canvas @param {View} view */
export function zoomKeys(event, canvas, view) {
  const command = ZOOM[event.key];
  if (!command || event.ctrlKey || event.metaKey || event.altKey || !isOurs(event, canvas)) return;
  event.preventDefault();
  view.command(command);
}

/**
 * @param {Canvas} canvas
 * @param {View} view
 * @param {import("./select.js").Selection} selection
 * @param {import("./connect.js").Connecting} connecting
 */
export function listen(canvas, view, selection, connecting) {
  const nudge = nudger(canvas);
  const focused = () => document.activeElement?.closest(".stage, .supervisor, .edge")?.id ?? "";
  const focus = (id) => canvas.elementOf(id)?.focus({ preventScroll: true });

  const commands = {
    a: () => addFreely(canvas, view, addition()),
    c: () => canvas.cards.get(focused())?.element.dataset.phase && connecting.begin(focused()),
    Delete: () => remove(canvas, selection.subject),
    Backspace: () => remove(canvas, selection.subject),
    Enter: () => choose(false),
    " ": () => choose(false),
    Escape: () => (connecting.source ? connecting.end() : selection.clear()),
  };

  document.addEventListener("keydown", (event) => {
    if (undoOrRedo(event)) return;
    zoomKeys(event, canvas, view);
    if (!isOurs(event, canvas) || /** @type {Element} */ (event.target).closest("button:not(.port), a")) return;
    const [plain, key] = [!event.ctrlKey && !event.metaKey && !event.altKey, event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (ARROWS[key]) arrow(event);
    else if ((event.ctrlKey || event.metaKey) && key === "a") selection.set(canvas.stages.map(([id]) => id));
    else if (plain && event.shiftKey && (key === " " || key === "Enter") && focused()) choose(true);
    else if (plain && !event.shiftKey && commands[key]) commands[key]();
    else return;
    event.preventDefault();
  });

  /** @param {boolean} add to what is selected already */
  function choose(add) {
    const id = focused();
    if (connecting.source) return canvas.cards.has(id) && connecting.complete(id);
    if (!id) return;
    if (!add) return selection.pick(id);
    selection.toggle(id);
    announce(`${selection.ids.size} selected`);
  }

  function addition() {
    const source = canvas.cards.get(connecting.source)?.element.dataset.phase;
    const beside = connecting.source || focused();
    connecting.end();
    return { source, beside };
  }

  /** @param {KeyboardEvent} event */
  function arrow(event) {
    const from = focused();
    if (event.altKey) return walk(event.key, from);
    if (connecting.source) return focus(neighbourOf(from || connecting.source, event.key));
    const [dx, dy] = ARROWS[event.key].map((step) => step * GRID * (event.shiftKey ? 4 : 1));
    const cards = selection.subject.filter((id) => canvas.cards.has(id));
    if (cards.length) nudge(cards, dx, dy);
    else view.pan(-dx * 8, -dy * 8);
  }

  /** Follow a transition, or go to the stage beside. @param {string} key @param {string} from */
  function walk(key, from) {
    const start = from || [...selection.ids][0] || canvas.stages[0]?.[0];
    if (!start) return;
    const way = key === "ArrowRight" ? ["source", "target"] : key === "ArrowLeft" ? ["target", "source"] : null;
    const edge = canvas.edges.get(start);
    const ends = edge ? (way ? [edge[way[1]]] : []) : way ? followed(start, way) : [];
    const to = ends[0] ?? neighbourOf(edge?.source ?? start, key);
    if (!to || !canvas.cards.has(to)) return;
    focus(to);
    view.reveal(canvas.cards.get(to));
    selection.pick(to);
  }

  /** The ends of a stage's transitions, `next` first. @param {string} id @param {string[]} way */
  function followed(id, [near, far]) {
    const edges = [...canvas.edgesAt([id])].map((edge) => canvas.edges.get(edge)).filter((edge) => edge?.[near] === id);
    edges.sort((a, b) => (a?.element.dataset.kind ?? "").localeCompare(b?.element.dataset.kind ?? ""));
    return edges.map((edge) => edge?.[far]);
  }

  /** @param {string} id @param {string} key */
  function neighbourOf(id, key) {
    const card = canvas.cards.get(id);
    return card ? neighbour(card, /** @type {any} */ (key), canvas.stages) : null;
  }
}

/** @param {KeyboardEvent} event @returns {boolean} */
function undoOrRedo(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isField(event.target)) return false;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return false;
  event.preventDefault();
  submit(key === "y" || event.shiftKey ? "redo" : "undo");
  return true;
}

/** Moves cards by steps; a burst of steps is one edit. @param {Canvas} canvas */
function nudger(canvas) {
  /** @type {{key: string, lifted: ReturnType<typeof lift>, x: number, y: number, timer: number} | null} */
  let burst = null;

  function settle() {
    const { lifted, timer } = burst ?? {};
    clearTimeout(timer);
    burst = null;
    return lifted?.drop();
  }
  addEventListener("pointerdown", settle, { capture: true });
  addEventListener("pagehide", settle);
  addEventListener("keydown", (event) => !ARROWS[event.key] && event.key !== "Shift" && settle(), { capture: true });

  return (/** @type {string[]} */ ids, /** @type {number} */ dx, /** @type {number} */ dy) => {
    const key = ids.join(" ");
    if (burst?.key !== key) settle();
    burst ??= { key, lifted: lift(canvas, ids), x: 0, y: 0, timer: 0 };
    burst.lifted.to((burst.x += dx), (burst.y += dy));
    clearTimeout(burst.timer);
    burst.timer = setTimeout(settle, BURST);
  };
}
