// A routing rule that is half written is not lost unasked: not to another rule, not to Cancel, not to another page.
import "./kept-input.js"; // it is there before a sign-in is asked for

/** The form in which something was typed that is not saved. */
const draft = () => document.querySelector("#rule-form > form[data-typed]");
const typed = ({ target }) =>
  /** @type {HTMLElement} */ (target).closest("#rule-form > form")?.setAttribute("data-typed", "");

document.addEventListener("input", typed);
for (const field of document.querySelectorAll("#rule-form > form :is(input:not([type=hidden]), textarea)")) {
  // What was typed before this module was there.
  if (/** @type {HTMLInputElement} */ (field).value !== /** @type {HTMLInputElement} */ (field).defaultValue)
    typed({ target: field });
}
document.addEventListener("click", (event) => {
  if (/** @type {Element} */ (event.target).closest("#rule-form [name=take_off], #rule-form [name=add_row]"))
    typed(event);
});

addEventListener("beforeunload", (event) => draft() && !document.body.matches("[data-kept]") && event.preventDefault());

// What would take the form away asks first; a form that is sent keeps what was typed until it is saved.
document.addEventListener("htmx:confirm", (event) => {
  const { target, verb, issueRequest } = /** @type {CustomEvent} */ (event).detail;
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("discard-rule"));
  if (verb !== "get" || !target?.matches("#rule-form, #rule-form > form") || !draft() || !dialog) return;
  event.preventDefault();
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue && issueRequest(true), { once: true });
  dialog.showModal();
});
