// Animates cards that the server has moved, so that a person can follow them.

const TIME = { duration: 200, easing: "ease-out" };
const MOST = 400; // more cards are not animated

/**
 * @param {import("./canvas.js").Canvas} canvas
 * @param {Map<HTMLElement, import("./geometry.js").Point>} moved the cards and their former places
 */
export function animateMove(canvas, moved) {
  if (moved.size > MOST || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [element, { x, y }] of moved)
    element.animate({ transform: [`translate(${x}px, ${y}px)`, element.style.transform] }, TIME);
  // The edges are drawn at their new places at once, so they fade in as the cards arrive.
  canvas.viewport.querySelector(".edges")?.animate({ opacity: [0, 0.2, 1] }, TIME);
}
