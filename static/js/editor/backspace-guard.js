// After Escape in a text field, Backspace is likely meant for the text: it deletes no part of the drawing.
import { isField } from "../canvas/pointer.js";
import { notify } from "../core/notice.js";

const IGNORED = "Backspace was ignored, because you just left a text field. Press Delete to delete the selected part.";
let stop = new AbortController();

/** Ignore Backspace until another key or the pointer is pressed. @param {EventTarget | null} left the field */
export function ignoreBackspace(left) {
  if (!(/** @type {Element} */ (left).matches("textarea, input:not([type=checkbox], [type=radio])"))) return;
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  document.addEventListener("keydown", ignore, { capture: true, signal });
  document.addEventListener("pointerdown", () => stop.abort(), { capture: true, signal });
}

/** @param {KeyboardEvent} event */
function ignore(event) {
  if (["Shift", "Control", "Meta", "Alt"].includes(event.key) || isField(event.target)) return;
  if (event.key !== "Backspace") return stop.abort();
  event.preventDefault();
  notify(IGNORED, "warning");
}
