// Selects with a box: cards touched by the box are added to the selection.
import { touches } from "../../canvas/geometry.js";
import { CANCEL, hint } from "../../canvas/hint-bar.js";

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {import("../selection.js").Selection} selection
 * @param {PointerEvent} start
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function selectBox(canvas, view, selection, start) {
  const element = /** @type {HTMLElement} */ (canvas.viewport.querySelector(".marquee"));
  const corner = view.at(start);
  const before = [...selection.ids];
  let hideHint = () => {};
  const end = () => {
    hideHint();
    element.hidden = true;
  };
  return {
    move(event) {
      const box = boxBetween(corner, view.at(event));
      element.hidden = false;
      element.style.transform = `translate(${box.x}px, ${box.y}px)`;
      element.style.width = `${box.width}px`;
      element.style.height = `${box.height}px`;
      const touched = [...canvas.cards].filter(([, card]) => touches(card, box)).map(([id]) => id);
      selection.set([...before, ...touched]);
      hideHint = hint(`${selection.ids.size} selected.`, [CANCEL]);
    },
    drop() {
      end();
      selection.open();
    },
    cancel() {
      end();
      selection.set(before);
    },
  };
}

/**
 * The box between two corners.
 * @param {import("../../canvas/geometry.js").Point} a
 * @param {import("../../canvas/geometry.js").Point} b
 */
export const boxBetween = (a, b) => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});
