// The outline: its checkboxes and the selection of the canvas are one, and its commands are those of the canvas.
import * as formErrors from "../../core/form-errors.js";
import { announce } from "../../core/notice.js";
import "../../core/unsaved-input.js"; // loaded before a sign-in can interrupt

/** @typedef {import("../../canvas/commands/command.js").Page} Page */

let isAttached = false;

/** Attach the outline, or update it after a swap. @param {Page} page */
export function attach(page) {
  const { canvas, selection } = page;
  const boxes = () => /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#outline [data-pick]"));
  const update = async () => {
    boxes().forEach((box) => (box.checked = selection.ids.has(box.dataset.pick ?? "")));
    await fillCommands(page);
    // Without a ticked stage the buttons stay focusable: pressed, they explain why they do nothing.
    for (const button of document.querySelectorAll("#outline [data-needs]"))
      button.setAttribute("aria-disabled", String(!selection.ids.size));
  };
  // Boxes ticked before this module was loaded count, too.
  const ticked = isAttached ? [] : [...boxes()].filter((box) => box.checked).map((box) => box.dataset.pick ?? "");
  if (ticked.some((id) => !selection.ids.has(id))) {
    selection.set([...selection.ids, ...ticked]);
    selection.open();
  }
  update();
  if (isAttached) return;
  isAttached = true;

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
  document.body.addEventListener("htmx:oobAfterSwap", update);
  new MutationObserver(update).observe(canvas.element, { subtree: true, attributeFilter: ["aria-current"] });
  document.body.addEventListener("htmx:afterRequest", (event) => resetSavedForm(/** @type {CustomEvent} */ (event)));
}

/** Fill the buttons for the ticked stages from the list of commands. @param {Page} page */
async function fillCommands(page) {
  const group = document.querySelector("#outline [data-commands]");
  if (!group || group.childElementCount) return;
  const { COMMANDS } = await page.commands();
  if (group.childElementCount) return; // filled by another update meanwhile
  for (const { id, outline } of COMMANDS) {
    if (!outline) continue;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button button--small", textContent: outline });
    Object.assign(button.dataset, { command: id, needs: "" });
    group.append(button);
  }
}

/**
 * Reset a saved form and return to its first field, unless someone has typed in it since; in a rejected form, go to the
 * first error.
 * @param {CustomEvent} event
 */
function resetSavedForm({ detail: { elt, successful, xhr, requestConfig } }) {
  if (!elt.matches("#outline [data-once]")) return;
  const isSaved = successful && xhr.status < 400;
  const isAsSent = [...new FormData(elt)].every(([name, value]) => requestConfig.formData.get(name) === value);
  if (isSaved) elt.querySelectorAll(".field__error").forEach((error) => (error.hidden = true));
  if (isSaved && isAsSent) elt.reset();
  formErrors.mark(elt);
  if (!isAsSent || !elt.contains(document.activeElement)) return;
  if (isSaved) elt.querySelector("input:not([type=hidden])").focus();
  else formErrors.goToFirst(elt);
}
