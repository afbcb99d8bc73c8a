// Cards that the server puts elsewhere glide there, so that one sees which went where.

const TIME = { duration: 200, easing: "ease-out" };
const MOST = 400; // cards that can glide at once

/**
 * @param {import("./canvas.js").Canvas} canvas
 * @param {Map<HTMLElement, import("./geometry.js").Point>} moved the cards, and where each was
 */
export function glide(canvas, moved) {
  if (moved.size > MOST || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [element, { x, y }] of moved)
    element.animate({ transform: [`translate(${x}px, ${y}px)`, element.style.transform] }, TIME);
  // The lines are where they belong at once: they come into sight as the cards arrive.
  canvas.viewport.querySelector(".edges")?.animate({ opacity: [0, 0.2, 1] }, TIME);
}
