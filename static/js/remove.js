// Deleting what is selected: it fades at once, and comes back if the server refuses.
import { submit } from "./gestures.js";
import { announce, notify } from "./notice.js";

/**
 * @param {import("./canvas.js").Canvas} canvas
 * @param {string[]} ids
 */
export async function remove(canvas, ids) {
  const stages = ids.map((id) => canvas.cards.get(id)?.element.dataset.phase).filter(Boolean);
  const edges = ids.filter((id) => canvas.edges.has(id));
  if (!stages.length && !edges.length) {
    if (ids.length) notify("The supervisor is taken off in the pipeline's settings, with nothing selected.", "warning");
    return;
  }
  const restore = fade(canvas, [...ids, ...canvas.edgesAt(ids)]);
  const transitions = edges.map((id) => {
    const { source, target } = /** @type {HTMLElement} */ (canvas.elementOf(id)).dataset;
    return `${source}>${target}`;
  });
  const accepted = await submit("delete", { stages: JSON.stringify(stages), transitions: JSON.stringify(transitions) });
  if (!accepted) return restore();
  announce(`Deleted ${[...stages, ...transitions.map((key) => key.replace(">", " → "))].join(", ")}`);
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
}

/** @param {import("./canvas.js").Canvas} canvas @param {string[]} ids @returns {() => void} its undoing */
function fade(canvas, ids) {
  const leaving = (faded) => ids.forEach((id) => canvas.elementOf(id)?.toggleAttribute("data-leaving", faded));
  leaving(true);
  return () => leaving(false);
}
