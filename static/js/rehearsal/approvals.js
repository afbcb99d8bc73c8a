// Calls that wait for a person: what is decided beside one goes into the form that the socket sends.
import { isNowhere, land } from "../core/focus-fallback.js";
import { showSheet } from "../core/panel-sheets.js";

/** @typedef {HTMLFormElement & { elements: any }} Fields */

document.addEventListener("submit", (event) => {
  const asked = /** @type {Fields | null} */ (/** @type {Element} */ (event.target).closest("form[data-decide]"));
  if (!asked) return;
  event.preventDefault();
  const refuses = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === "refuse";
  const name = refuses ? "refuse" : isChanged(asked) ? "change" : "approve";
  const sent = /** @type {Fields | null} */ (document.getElementById(`${name}-form`));
  if (!sent) return;
  for (const field of ["asked", "arguments", "reason"])
    if (sent.elements[field]) sent.elements[field].value = asked.elements[field].value;
  asked.dataset.sent = "";
  if (asked.contains(document.activeElement)) asked.elements.arguments.focus(); // its buttons wait, and cannot have it
  tell(asked, "");
  hold(asked, true);
  sent.requestSubmit();
});

// On a narrow screen the chat leads to the pane in which they wait.
document.addEventListener("click", ({ target }) => {
  if (!(/** @type {Element} */ (target).closest("[data-decisions]"))) return;
  showSheet("bottom");
  /** @type {HTMLElement | null} */ (document.querySelector("#approvals > li:not([hidden]) textarea"))?.focus();
});

// What was refused can be mended, and sent again: why is said at the arguments.
document.addEventListener("baton:refused", (event) => {
  for (const asked of document.querySelectorAll("form[data-decide][data-sent]")) {
    event.preventDefault();
    tell(/** @type {Fields} */ (asked), /** @type {CustomEvent} */ (event).detail);
    hold(/** @type {Fields} */ (asked), false);
    if (isNowhere()) /** @type {Fields} */ (asked).elements.arguments.focus();
  }
});

// What is decided goes, and the focus to what can be done next: the next call that waits, or the composer.
const calls = document.getElementById("approvals");
let had = false;
calls?.addEventListener("focusin", () => (had = true));
calls?.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && (had = false));
if (calls) {
  new MutationObserver(() => {
    if (!had || !isNowhere()) return;
    land(...calls.querySelectorAll("textarea"), document.getElementById("message-text"));
  }).observe(calls, { childList: true, subtree: true, attributeFilter: ["hidden"] });
}

document.addEventListener("input", ({ target }) => {
  const asked = /** @type {Fields | null} */ (/** @type {Element} */ (target).closest("form[data-decide]"));
  const button = /** @type {HTMLButtonElement | null | undefined} */ (asked?.querySelector("[data-changed]"));
  if (!asked || !button) return;
  button.dataset.usual ??= button.textContent ?? "";
  button.textContent = (isChanged(asked) ? button.dataset.changed : button.dataset.usual) ?? "";
});

/** Whether other arguments are written than the agent's. @param {Fields} asked */
const isChanged = (asked) => asked.elements.arguments.value !== asked.elements.arguments.defaultValue;

/** Have the buttons wait for an answer, or no longer. @param {Fields} asked @param {boolean} on */
function hold(asked, on) {
  for (const button of asked.querySelectorAll("button")) button.disabled = on;
  if (!on) delete asked.dataset.sent;
}

/** Say at the arguments why they were refused; "" takes it back. @param {Fields} asked @param {string} why */
function tell(asked, why) {
  asked.elements.arguments.setAttribute("aria-invalid", `${!!why}`);
  const place = asked.querySelector(".field__error");
  if (place) place.textContent = why;
}
