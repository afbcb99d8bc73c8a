// Deleting what is selected: it fades at once, and comes back if the server refuses.
import { few } from "../../core/list-names.js";
import { submit } from "../submit-gesture.js";
import { announce, notify } from "../../core/notice.js";

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string[]} ids
 * @param {"delete" | "bypass"} [how] with `bypass`, what led to a stage leads on to where that led next
 */
export async function remove(canvas, ids, how = "delete") {
  ids = ids.filter((id) => !canvas.elementOf(id)?.matches("[data-leaving]")); // of a key pressed twice
  const stages = ids.map((id) => canvas.cards.get(id)?.element.dataset.phase).filter(Boolean);
  const edges = ids.filter((id) => canvas.edges.has(id));
  const [notes, frames] = ["note", "frame"].map((kind) =>
    ids.map((id) => /** @type {HTMLElement} */ (canvas.elementOf(id))?.dataset[kind]).filter(Boolean),
  );
  if (![stages, edges, notes, frames].some((some) => some.length)) {
    if (ids.length) notify("The supervisor is taken off in the pipeline's settings, with nothing selected.", "warning");
    return;
  }
  const restore = fade(canvas, [...ids, ...canvas.edgesAt(ids)]);
  const transitions = edges.map((id) => {
    const { source, target } = /** @type {HTMLElement} */ (canvas.elementOf(id)).dataset;
    return `${source}>${target}`;
  });
  const accepted = await submit(stages.length || edges.length ? how : "delete", {
    stages: JSON.stringify(stages),
    transitions: JSON.stringify(transitions),
    notes: JSON.stringify(notes),
    frames: JSON.stringify(frames),
  });
  if (!accepted) return restore();
  const paper = [...notes.map(() => "a note"), ...frames.map(() => "a frame")];
  announce(`Deleted ${few([...stages, ...transitions.map((key) => key.replace(">", " → ")), ...paper])}`);
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
}

/** @param {import("../../canvas/canvas.js").Canvas} canvas @param {string[]} ids @returns {() => void} its undoing */
function fade(canvas, ids) {
  const leaving = (faded) => ids.forEach((id) => canvas.elementOf(id)?.toggleAttribute("data-leaving", faded));
  leaving(true);
  return () => leaving(false);
}
