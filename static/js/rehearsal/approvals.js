// Tool calls that wait for approval: copies a decision into the form that is sent by the socket.
import { isFocusLost, focusFirst } from "../core/focus-fallback.js";
import { notify } from "../core/notice.js";
import { showSheet } from "../core/panel-sheets.js";

/** @typedef {HTMLFormElement & { elements: any }} Fields */

const DECISION = "form[data-decide]";

document.addEventListener("submit", (event) => {
  const asked = /** @type {Fields | null} */ (/** @type {Element} */ (event.target).closest(DECISION));
  if (!asked) return;
  event.preventDefault();
  const refuses = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === "refuse";
  const name = refuses ? "refuse" : isChanged(asked) ? "change" : "approve";
  const sent = /** @type {Fields | null} */ (document.getElementById(`${name}-form`));
  if (!sent) return;
  for (const field of ["asked", "arguments", "reason"])
    if (sent.elements[field]) sent.elements[field].value = asked.elements[field].value;
  asked.dataset.sent = "";
  // its buttons are disabled while it is sent
  if (asked.contains(document.activeElement)) asked.elements.arguments.focus();
  tell(asked, "");
  hold(asked, true);
  sent.requestSubmit();
});

// On a narrow screen the chat links to the pane with the waiting calls.
document.addEventListener("click", ({ target }) => {
  if (!(/** @type {Element} */ (target).closest("[data-decisions]"))) return;
  showSheet("bottom");
  /** @type {HTMLElement | null} */ (document.querySelector("#approvals > li:not([hidden]) textarea"))?.focus();
});

// A rejected decision can be corrected and sent again; the reason is shown at the arguments.
document.addEventListener("baton:refused", (event) => {
  for (const asked of document.querySelectorAll("form[data-decide][data-sent]")) {
    event.preventDefault();
    tell(/** @type {Fields} */ (asked), /** @type {CustomEvent} */ (event).detail);
    hold(/** @type {Fields} */ (asked), false);
    if (isFocusLost()) /** @type {Fields} */ (asked).elements.arguments.focus();
  }
});

// When a decided call disappears, the focus goes to the next waiting call or to the composer. If somebody else decided
// it while something was typed for it, the text is shown, and the focus goes to no field: the typing may go on.
const calls = document.getElementById("approvals");
let had = false;
calls?.addEventListener("focusin", () => (had = true));
calls?.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && (had = false));
if (calls) {
  new MutationObserver((records) => {
    const typed = records.flatMap(({ removedNodes, target }) => [...removedNodes, target]).map(typedIn).find(Boolean);
    if (typed) notify(`Somebody else has decided this call. You had typed: “${typed}”`, "warning");
    if (!had || !isFocusLost()) return;
    if (typed) document.getElementById("trace")?.focus();
    else focusFirst(...calls.querySelectorAll("textarea"), document.getElementById("message-text"));
  }).observe(calls, { childList: true, subtree: true, attributeFilter: ["hidden"] });
}

/** The typed text for a removed call, unless this page has decided it. @param {Node} node */
function typedIn(node) {
  const asked = node instanceof HTMLElement && !node.checkVisibility() ? node.querySelector(DECISION) : null;
  const { elements, dataset } = /** @type {Fields} */ (asked ?? { elements: {}, dataset: { sent: "" } });
  if (dataset.sent !== undefined) return "";
  return elements.reason.value || (isChanged(/** @type {Fields} */ (asked)) ? elements.arguments.value : "");
}

document.addEventListener("input", ({ target }) => nameButton(/** @type {Element} */ (target).closest(DECISION)));
// Changed arguments may have been restored before this module was loaded.
document.querySelectorAll(DECISION).forEach(nameButton);

/** Name the button that approves after what it does. @param {Element | null} form */
function nameButton(form) {
  const asked = /** @type {Fields | null} */ (form);
  const button = /** @type {HTMLButtonElement | null | undefined} */ (asked?.querySelector("[data-changed]"));
  if (!asked || !button) return;
  button.dataset.usual ??= button.textContent ?? "";
  button.textContent = (isChanged(asked) ? button.dataset.changed : button.dataset.usual) ?? "";
}

/** Report whether the arguments differ from the agent's. @param {Fields} asked */
function isChanged(asked) {
  return asked.elements.arguments.value !== asked.elements.arguments.defaultValue;
}

/** Disable the buttons while a decision is sent. @param {Fields} asked @param {boolean} on */
function hold(asked, on) {
  for (const button of asked.querySelectorAll("button")) button.disabled = on;
  if (!on) delete asked.dataset.sent;
}

/** Show the reason of a rejection at the arguments; "" removes it. @param {Fields} asked @param {string} why */
function tell(asked, why) {
  asked.elements.arguments.setAttribute("aria-invalid", `${!!why}`);
  const place = asked.querySelector(".field__error");
  if (place) place.textContent = why;
}
