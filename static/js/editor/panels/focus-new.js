// An agent or a tool that was just made is named first: the focus goes into its name as soon as its form is there.
import { isField } from "../../canvas/pointer.js";
import { showSheet } from "../../core/panel-sheets.js";

/** @param {import("../selection.js").Subject} subject what is new */
export function focusName({ kind, key }) {
  const { body } = document;
  const stop = new AbortController();
  const take = () => {
    const shown = /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"));
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector form [name=name]"));
    if (stop.signal.aborted || shown?.value !== `${kind}:${key}` || !field) return;
    stop.abort();
    if (isField(document.activeElement)) return; // what is being written goes on
    showSheet("right");
    field.focus();
    field.select();
  };
  body.addEventListener("htmx:afterSettle", take, { signal: stop.signal });
  // Who does something else meanwhile means that.
  for (const other of ["pointerdown", "keydown"])
    addEventListener(other, () => stop.abort(), { capture: true, signal: stop.signal });
  take();
}
