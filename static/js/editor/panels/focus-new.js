// Moves the focus to a field of a new part as soon as its form is there: to the name of an agent or a tool, or to the
// condition of a transition.
import { isField } from "../../canvas/pointer.js";
import { showSheet } from "../../core/panel-sheets.js";
import { attachGuard } from "./inspector.js";

/** @param {import("../selection.js").Subject} subject the new part */
export const focusName = (subject) => focusField(subject, "name");

/**
 * @param {import("../selection.js").Subject} subject the part
 * @param {string} name of the field
 * @param {string} [tab] of the inspector, which is opened if the field is in another one
 */
export function focusField({ kind, key }, name, tab) {
  const { body } = document;
  const stop = new AbortController();
  let isOpening = false;
  const guarded = attachGuard(); // Escape must work in the field at once
  const take = async () => {
    const shown = /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"));
    const field = /** @type {HTMLInputElement | null} */ (
      document.querySelector(`#inspector form [name="${name}"]`)
    );
    if (stop.signal.aborted || shown?.value !== `${kind}:${key}`) return;
    const link = tab && document.getElementById(`tab-${tab}`);
    const isOther = link && !link.hasAttribute("aria-current");
    if (isOther && !isOpening) link.click();
    isOpening ||= Boolean(isOther);
    if (!field || isOther) return;
    await guarded;
    if (stop.signal.aborted || !field.isConnected) return;
    stop.abort();
    if (isField(document.activeElement)) return; // someone is typing elsewhere
    showSheet("right");
    field.focus();
    if (field.matches("input")) field.select();
    else if (field.matches("textarea")) field.setSelectionRange(field.value.length, field.value.length);
  };
  body.addEventListener("htmx:afterSettle", take, { signal: stop.signal });
  // Any other input cancels the move.
  for (const other of ["pointerdown", "keydown"])
    addEventListener(other, () => stop.abort(), { capture: true, signal: stop.signal });
  take();
}
