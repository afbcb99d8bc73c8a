// Deletes the selected parts: they fade at once, and come back if the server rejects the deletion.
import { listNames } from "../../core/list-names.js";
import { announce, notify } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string[]} ids
 * @param {string} [gesture] the gesture for stages and transitions, if not a plain deletion
 */
export async function remove(canvas, ids, gesture = "delete") {
  ids = ids.filter((id) => !canvas.elementOf(id)?.matches("[data-leaving]")); // the key may be pressed twice
  const keysOf = (name) =>
    ids.map((id) => /** @type {HTMLElement} */ (canvas.elementOf(id))?.dataset[name] ?? "").filter(Boolean);
  const [stages, notes, frames] = [
    ids.map((id) => canvas.phaseOf(id)).filter(Boolean),
    keysOf("note"),
    keysOf("frame"),
  ];
  const edges = ids.filter((id) => canvas.edges.has(id));
  if (![stages, edges, notes, frames].some((parts) => parts.length)) {
    if (ids.length) notify("Remove the supervisor in the pipeline's settings: clear the selection first.", "warning");
    return;
  }
  const restore = fade(canvas, [...ids, ...canvas.edgesAt(ids)]);
  const transitions = edges.map((id) => {
    const { source, target } = /** @type {HTMLElement} */ (canvas.elementOf(id)).dataset;
    return `${source}>${target}`;
  });
  const isAccepted = await submit(stages.length || edges.length ? gesture : "delete", {
    stages: JSON.stringify(stages),
    transitions: JSON.stringify(transitions),
    notes: JSON.stringify(notes),
    frames: JSON.stringify(frames),
  });
  if (!isAccepted) return restore();
  const arrows = transitions.map((key) => key.replace(">", " → "));
  announce(
    `Deleted ${listNames([...stages, ...arrows, ...notes.map(() => "a note"), ...frames.map(() => "a frame")])}`,
  );
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
}

/**
 * Fade parts, until the returned function is called.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string[]} ids
 */
function fade(canvas, ids) {
  const mark = (isLeaving) => ids.forEach((id) => canvas.elementOf(id)?.toggleAttribute("data-leaving", isLeaving));
  mark(true);
  return () => mark(false);
}
