// Knows whether a routing rule has unsaved input, and asks before it is discarded: for another rule, by Cancel, or with
// the page. The form of an existing rule saves itself when a field is left.
import "../../core/unsaved-input.js"; // loaded before a sign-in can interrupt
import "../save-status.js";

/** The form with unsaved input. @returns {HTMLElement | null} */
const typedForm = () => document.querySelector("#rule-form > form[data-typed]");
const markTyped = ({ target }) => {
  const form = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (target).closest("#rule-form > form"));
  if (form) form.dataset.typed = String(performance.now());
};

document.addEventListener("input", markTyped);
/** @type {NodeListOf<HTMLInputElement>} */
const fields = document.querySelectorAll("#rule-form > form :is(input:not([type=hidden]), textarea)");
// Input from before this module was loaded counts, too.
for (const field of fields) if (field.value !== field.defaultValue) markTyped({ target: field });
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("#rule-form [name=take_off], #rule-form [name=add_row]")) markTyped(event);
});

/** The number of saves that have begun, and a promise for their end. */
let saves = 0;
/** @type {(() => void)[]} */
const waiting = [];
document.addEventListener("change", ({ target }) => {
  if (/** @type {Element} */ (target).closest("#rule-form > [hx-trigger^=change]")) saves += 1;
});
document.addEventListener("htmx:afterRequest", (event) => {
  const { elt, xhr, requestConfig } = /** @type {CustomEvent} */ (event).detail;
  if (requestConfig.elt?.name === "take_off") saveRemoval();
  if (requestConfig.verb !== "post" || !elt.matches("#rule-form > form")) return;
  const isSaved = xhr.status >= 200 && xhr.status < 300;
  elt.toggleAttribute("data-refused", !isSaved);
  // Input since the request was sent is not saved yet.
  if (isSaved && Number(elt.dataset.typed) <= xhr.begun) elt.removeAttribute("data-typed");
  saves = Math.max(0, saves - 1);
  if (!saves) for (const resolve of waiting.splice(0)) resolve();
});

/** A removed comparison is saved at once. */
function saveRemoval() {
  const form = document.querySelector("#rule-form > [hx-trigger^=change]");
  form?.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Wait until the saves that have begun are answered. */
const settled = () => (saves ? new Promise((resolve) => waiting.push(() => resolve(undefined))) : undefined);

addEventListener("beforeunload", (event) => {
  if (typedForm() && !document.body.matches("[data-input-kept]")) event.preventDefault();
});

// A request that would replace the form waits for its save, and asks if there is unsaved input.
document.addEventListener("htmx:confirm", (event) => {
  const { target, verb, issueRequest } = /** @type {CustomEvent} */ (event).detail;
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("discard-rule"));
  if (verb !== "get" || !target?.matches("#rule-form, #rule-form > form") || !typedForm() || !dialog) return;
  event.preventDefault();
  askAfterSave(dialog, issueRequest);
});

/** @param {HTMLDialogElement} dialog @param {(skipsConfirmation: boolean) => void} proceed */
async function askAfterSave(dialog, proceed) {
  await settled();
  if (!typedForm()) return proceed(true);
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue && proceed(true), { once: true });
  dialog.showModal();
}
