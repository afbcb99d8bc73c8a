// Starts the gesture for a press: on the canvas by the pressed part and the held keys, in the left panel by the item.
import { whenLoaded, pan } from "../../canvas/pointer.js";
import { isOffline, refusedOffline, load } from "../../core/offline.js";
import { showSheet } from "../../core/panel-sheets.js";
import { PARTS } from "../selection.js";

/** @typedef {import("../../canvas/pointer.js").Gesture} Gesture */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

/** Parts that Shift adds to the selection; anywhere else, also near an edge, Shift starts a selection box. */
const CARDS = ".stage, .supervisor, .note";

/**
 * Return the gesture for a press on the canvas.
 * @param {PointerEvent} event
 * @param {Page} page
 * @returns {Gesture}
 */
export function press(event, page) {
  const { canvas, view, selection } = page;
  if (isOffline()) return pan(canvas, view, event);
  const isViewOnly = document.body.classList.contains("view-only");
  const target = /** @type {Element} */ (event.target);
  const id = target.closest(PARTS)?.id;
  const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
  const handle = /** @type {HTMLElement | null} */ (target.closest(".end-handle"));
  if (handle && !isViewOnly)
    return whenLoaded(load(import("./reconnect-transition.js")).then(({ pullHandle }) => pullHandle(page, handle)));
  // A finger moves selected stages and pans over others; otherwise a phone could not scroll past them.
  const byFinger = event.pointerType === "touch";
  const tap = () => (byFinger && !page.connecting.source ? inspect(id, page) : choose(id, isAdding, selection));
  if (isViewOnly) return { ...pan(canvas, view, event), tap: id ? tap : () => deselect(page) };
  if (event.shiftKey && !target.closest(CARDS)) {
    const box = whenLoaded(
      load(import("./box-selection.js")).then(({ selectBox }) => selectBox(canvas, view, selection, event)),
    );
    return { ...box, tap: id ? tap : undefined };
  }
  if (!id) return { ...pan(canvas, view, event), tap: () => deselect(page) };
  if (target.closest(".note__edge"))
    return {
      ...whenLoaded(load(import("../annotations/notes.js")).then(({ resize }) => resize(page, id, event))),
      tap,
    };
  if (target.closest(".port"))
    return whenLoaded(load(import("./connect-stages.js")).then(({ pull }) => pull(page, id)));

  const isSelected = selection.ids.has(id);
  if (canvas.edges.has(id) || (byFinger && !isSelected)) return { ...pan(canvas, view, event), tap };
  if (byFinger) {
    const gesture = drag([...selection.ids], event, page);
    return { ...gesture, tap: () => (gesture.cancel(), tap()) };
  }
  return dragByMouse(id, isAdding, event, page);
}

/** @param {string[]} ids @param {PointerEvent} start @param {Page} page */
const drag = (ids, start, { canvas, view }) =>
  whenLoaded(load(import("./move-cards.js")).then(({ drag }) => drag(canvas, view, ids, start)));

/**
 * Drag a card with the mouse, together with the selection if it belongs to it.
 * @param {string} id
 * @param {boolean} isAdding
 * @param {PointerEvent} event
 * @param {Page} page
 * @returns {Gesture}
 */
function dragByMouse(id, isAdding, event, page) {
  const { selection } = page;
  const before = selection.ids;
  const isSelected = before.has(id);
  if (!isSelected && !isAdding) selection.set([id]);
  const gesture = drag(isSelected || isAdding ? [...new Set([...selection.ids, id])] : [id], event, page);
  return {
    ...gesture,
    drop(at) {
      gesture.drop(at);
      if (isSelected) return;
      if (isAdding) selection.toggle(id);
      selection.open();
    },
    cancel() {
      gesture.cancel();
      selection.set(before);
    },
    tap() {
      gesture.cancel();
      choose(id, isAdding, selection);
    },
  };
}

/** @param {string} id @param {boolean} isAdding @param {import("../selection.js").Selection} selection */
function choose(id, isAdding, selection) {
  if (!isAdding) return selection.pick(id);
  selection.toggle(id);
  selection.open();
}

/** Open the inspector's sheet over the canvas. @param {string} id @param {Page} page */
function inspect(id, { selection, bringIntoView }) {
  selection.pick(id);
  showSheet("right");
  bringIntoView(id);
}

/** @param {Page} page */
function deselect({ connecting, selection }) {
  connecting.end();
  selection.clear();
  showSheet("");
}

/**
 * Listen to the buttons with `data-add`, which add a stage, and let them and the agents of the left panel be dragged to
 * the canvas. The drag loads with its first use.
 * @param {Page} page
 */
export function offerStages(page) {
  /** @type {{start: PointerEvent, button: HTMLElement, gesture?: Promise<Gesture>} | null} */
  let held = null;
  let isDragged = false;

  document.addEventListener("click", ({ target }) => {
    const { add: kind, agent } = buttonAt(target, "[data-add]")?.dataset ?? {};
    if (kind && !isDragged && !refusedOffline()) addItem(page, kind, agent);
    isDragged = false;
  });

  document.addEventListener("pointerdown", (start) => {
    const button = buttonAt(start.target, ".palette [data-add], #agents [data-key]");
    isDragged = false;
    if (button && start.button === 0 && start.pointerType !== "touch") held = { start, button };
  });

  addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.start.pointerId) return;
    const { start, button } = held;
    if (!held.gesture && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 4) return;
    held.gesture ??= load(import("./drag-from-panel.js")).then(({ dragItem }) => dragItem(page, button));
    held.gesture.then(({ move }) => move(event));
  });

  /** @param {"drop" | "cancel"} how @param {any} event */
  const end = (how, event) => {
    held?.gesture?.then((gesture) => gesture[how](event));
    isDragged = !!held?.gesture && !held.button.contains(event.target);
    held = null;
  };
  addEventListener("pointerup", (event) => event.pointerId === held?.start.pointerId && end("drop", event));
  addEventListener("pointercancel", (event) => end("cancel", event));
  addEventListener("keydown", (event) => event.key === "Escape" && end("cancel", event));
}

/**
 * Add an item of the left panel; the agent of a stage is asked for.
 * @param {Page} page
 * @param {string} kind
 * @param {string} [agent]
 */
async function addItem(page, kind, agent) {
  if (kind === "agent" && !agent) return (await load(import("./create-stage.js"))).createFreely(page);
  return (await load(import("./add-stage.js"))).addFreely(page.canvas, page.view, { kind, agent });
}

/** @param {EventTarget | null} target @param {string} selector @returns {HTMLElement | null} */
const buttonAt = (target, selector) => /** @type {Element} */ (target).closest(selector);
