// The outline's boxes and the canvas's selection are one: what is ticked is selected, and the other way round.
import { announce } from "../../core/notice.js";
import "./kept-input.js"; // it is there before a sign-in is asked for
import * as refused from "../../core/form-errors.js";

let attached = false;

/** @param {import("../gestures/gesture-start.js").Page} page */
export function attach({ canvas, selection }) {
  const boxes = () => /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#outline [data-pick]"));
  const mark = () => {
    boxes().forEach((box) => (box.checked = selection.ids.has(box.dataset.pick ?? "")));
    // What is about the ticked stages can be reached all the same when there are none: it says why it does nothing.
    for (const button of document.querySelectorAll("#outline [data-needs]"))
      button.setAttribute("aria-disabled", String(!selection.ids.size));
  };
  if (attached) return mark();
  attached = true;
  // What was ticked before this module was there counts too.
  const ticked = [...boxes()].filter((box) => box.checked && !selection.ids.has(box.dataset.pick ?? ""));
  if (ticked.length) {
    selection.set([...selection.ids, ...ticked.map((box) => box.dataset.pick ?? "")]);
    selection.open();
  }
  mark();

  document.addEventListener("change", ({ target }) => {
    const id = /** @type {HTMLElement} */ (target).dataset.pick;
    if (!id) return;
    selection.toggle(id);
    selection.open();
  });
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest("#outline [data-needs][aria-disabled=true]");
    if (button) announce("Tick at least one stage first");
  });
  document.body.addEventListener("htmx:oobAfterSwap", mark);
  new MutationObserver(mark).observe(canvas.element, { subtree: true, attributeFilter: ["aria-current"] });

  // A form that has done what it was for is filled in anew, from its first field, unless someone is at that already;
  // one that
  // was refused leads to the fault.
  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { elt, successful, xhr, requestConfig } = /** @type {CustomEvent} */ (event).detail;
    if (!elt.matches("#outline [data-once]")) return;
    const done = successful && xhr.status < 400;
    const isAsSent = [...new FormData(elt)].every(([name, value]) => requestConfig.formData.get(name) === value);
    if (done) elt.querySelectorAll(".field__error").forEach((error) => (error.hidden = true));
    if (done && isAsSent) elt.reset();
    refused.mark(elt);
    if (!isAsSent || !elt.contains(document.activeElement)) return;
    if (done) elt.querySelector("input:not([type=hidden])").focus();
    else refused.lead(elt);
  });
}
