// Adds notes to the canvas and changes their width. Their text is edited by inline-editing.js.
import { freePlace } from "../gestures/free-place.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";
import { isOutlining, editNext } from "./inline-editing.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

const [NARROWEST, WIDEST] = [40, 2000]; // pixels: the limits of the definition
const USUAL = { width: 200, height: 60 };

/**
 * Add a note at a free point, at the pointer, or near the middle of the view, and edit it.
 * @param {Page} page
 * @param {Point} [point]
 */
export async function addNote(page, point) {
  const { canvas, view } = page;
  const at = point ?? (page.pointer && !isOutlining() ? view.at(page.pointer) : undefined);
  const { x, y } = at ?? view.middle;
  const wanted =
    at && canvas.isBlank(at)
      ? at
      : freePlace({ x: x - USUAL.width / 2, y: y - USUAL.height / 2 }, canvas.cards.values());
  const accepted = await editNext(
    page,
    "note",
    submit("add-note", { x: Math.round(wanted.x), y: Math.round(wanted.y) }),
  );
  if (accepted && isOutlining()) announce("Added a note. Write it in the inspector.");
}

/**
 * Drag the edge of a note.
 * @param {Page} page
 * @param {string} id
 * @param {PointerEvent} start
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function resize({ canvas, view }, id, start) {
  const element = () => /** @type {HTMLElement} */ (canvas.elementOf(id));
  const before = element().offsetWidth;
  let width = before;
  const show = (pixels) => (element().style.inlineSize = `${pixels}px`);
  return {
    move(event) {
      width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, before + (event.clientX - start.clientX) / view.scale)));
      show(width);
    },
    async drop() {
      const accepted = await submit("size-note", { note: element().dataset.note ?? "", width });
      if (!accepted) show(before);
      announce(accepted ? `The note is ${width} pixels wide` : "Put back: the width was not saved");
    },
    cancel: () => show(before),
  };
}
