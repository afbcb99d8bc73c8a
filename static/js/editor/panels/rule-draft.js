// Asks before a routing rule with unsaved input is discarded: for another rule, by Cancel, or with the page.
import "../../core/unsaved-input.js"; // loaded before a sign-in can interrupt

/** The form with unsaved input. */
const typedForm = () => document.querySelector("#rule-form > form[data-typed]");
const markTyped = ({ target }) =>
  /** @type {HTMLElement} */ (target).closest("#rule-form > form")?.setAttribute("data-typed", "");

document.addEventListener("input", markTyped);
/** @type {NodeListOf<HTMLInputElement>} */
const fields = document.querySelectorAll("#rule-form > form :is(input:not([type=hidden]), textarea)");
// Input from before this module was loaded counts, too.
for (const field of fields) if (field.value !== field.defaultValue) markTyped({ target: field });
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("#rule-form [name=take_off], #rule-form [name=add_row]")) markTyped(event);
});

addEventListener("beforeunload", (event) => {
  if (typedForm() && !document.body.matches("[data-input-kept]")) event.preventDefault();
});

// A request that would replace the form asks first. A submitted form keeps its mark until it is saved.
document.addEventListener("htmx:confirm", (event) => {
  const { target, verb, issueRequest } = /** @type {CustomEvent} */ (event).detail;
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("discard-rule"));
  if (verb !== "get" || !target?.matches("#rule-form, #rule-form > form") || !typedForm() || !dialog) return;
  event.preventDefault();
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue && issueRequest(true), { once: true });
  dialog.showModal();
});
