// The button that returns to the drawing while no part of it is in view.
import { bounds, touches } from "./geometry.js";

const REST = 150; // milliseconds without a move before the button is shown

/** Offer the button from now on. @param {import("./view.js").View} view */
export function offerReturn(view) {
  const button = /** @type {HTMLButtonElement} */ (document.querySelector('[data-view="return"]'));
  if (!button) return;
  let waits = 0;
  const look = () => {
    const { x, y, width, height } = view.free;
    const seen = {
      x: (x - view.x) / view.scale,
      y: (y - view.y) / view.scale,
      width: width / view.scale,
      height: height / view.scale,
    };
    const { boxes } = view.canvas;
    const isAway = Boolean(bounds(boxes)) && !boxes.some((box) => touches(box, seen));
    if (!isAway && button === document.activeElement) view.canvas.element.focus({ preventScroll: true });
    button.hidden = !isAway;
  };
  const later = () => {
    clearTimeout(waits);
    waits = setTimeout(look, REST);
  };
  new MutationObserver(later).observe(view.background, { attributeFilter: ["style"] });
  view.canvas.element.addEventListener("baton:drawn", later);
  later();
}
