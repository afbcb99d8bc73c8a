// What a press on the canvas begins, by what lies under it and which keys are held.
import { THINGS } from "../selection.js";
import { later, pan } from "../../canvas/pointer.js";
import { showSheet } from "../../core/panel-sheets.js";

/** @typedef {import("../../canvas/pointer.js").Gesture} Gesture */
/**
 * `connecting` is about the card from which someone connects by key, if someone does: connect-stages.js begins and ends
 * it.
 * @typedef {{
 *   canvas: import("../../canvas/canvas.js").Canvas,
 *   view: import("../../canvas/view.js").View,
 *   selection: import("../selection.js").Selection,
 *   connecting: {source: string, end(): void},
 *   bringIntoView(id: string): void,
 *   choose(subject: import("../selection.js").Subject): void,
 *   has?(id: string): boolean,
 * }} Page
 */

/** What Shift takes up; over all else it begins a box, over the wide reach of an edge too. */
const CARDS = ".stage, .supervisor, .note";

/**
 * @param {PointerEvent} event
 * @param {Page} page
 * @returns {Gesture}
 */
export function press(event, page) {
  const { canvas, view, selection } = page;
  const target = /** @type {Element} */ (event.target);
  const id = target.closest(THINGS)?.id;
  const add = event.shiftKey || event.ctrlKey || event.metaKey;
  const plug = /** @type {HTMLElement | null} */ (target.closest(".plug"));
  if (plug) return later(import("./reconnect-transition.js").then(({ pullPlug }) => pullPlug(page, plug)));
  const tap = () => choose(id, add, selection);
  if (event.shiftKey && !target.closest(CARDS)) {
    const box = later(import("./box-selection.js").then(({ marquee }) => marquee(canvas, view, selection, event)));
    return { ...box, tap: id ? tap : undefined };
  }
  if (!id) return { ...pan(canvas, view, event), tap: () => deselect(page) };
  if (target.closest(".note__edge"))
    return later(import("../annotations/notes.js").then(({ size }) => size(page, id, event)));
  if (target.closest(".port")) return later(import("./connect-stages.js").then(({ pull }) => pull(page, id)));

  const selected = selection.ids.has(id);
  // A finger moves what is selected; over other stages it pans, or no phone could show what is beyond them.
  const byFinger = event.pointerType === "touch";
  if (canvas.edges.has(id) || (byFinger && !selected)) return { ...pan(canvas, view, event), tap };
  if (byFinger) {
    const gesture = drag([...selection.ids], event, page);
    return { ...gesture, tap: () => (gesture.cancel(), inspect(id, page)) };
  }
  return take(id, add, event, page);
}

/** @param {string[]} ids @param {PointerEvent} start @param {Page} page */
const drag = (ids, start, { canvas, view }) =>
  later(import("./move-cards.js").then(({ drag }) => drag(canvas, view, ids, start)));

/**
 * Take a card up with the mouse, and all that is selected with it.
 * @param {string} id
 * @param {boolean} add
 * @returns {Gesture}
 */
function take(id, add, event, page) {
  const { selection } = page;
  const before = selection.ids;
  const selected = before.has(id);
  if (!selected && !add) selection.set([id]);
  const gesture = drag(selected || add ? [...new Set([...selection.ids, id])] : [id], event, page);
  return {
    ...gesture,
    drop(at) {
      gesture.drop(at);
      if (selected) return;
      if (add) selection.toggle(id);
      selection.open();
    },
    cancel() {
      gesture.cancel();
      selection.set(before);
    },
    tap() {
      gesture.cancel();
      choose(id, add, selection);
    },
  };
}

/**
 * @param {string} id
 * @param {boolean} add to what is selected
 * @param {import("../selection.js").Selection} selection
 */
function choose(id, add, selection) {
  if (!add) return selection.pick(id);
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
