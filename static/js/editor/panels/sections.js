// Remembers which sections of forms are open. A section with an error opens in any case.
import { afterSwaps } from "../../core/after-swaps.js";

const KEY = "sections";

/** The remembered sections, by name: open or folded. @returns {Record<string, boolean>} */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "") ?? {};
  } catch {
    return {};
  }
}

/** @param {string} name @param {boolean} open */
function remember(name, open) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...remembered(), [name]: open }));
  } catch {
    // Without storage, sections keep their state until the form is replaced.
  }
}

const hasError = (section) => section.querySelector(".field__error:not([hidden])") !== null;

/** Open and fold the sections of new forms as remembered. */
function restore() {
  const states = remembered();
  for (const section of document.querySelectorAll("details[data-section]:not([data-restored])")) {
    const details = /** @type {HTMLDetailsElement} */ (section);
    details.open = hasError(details) || (states[details.dataset.section ?? ""] ?? details.open);
    details.dataset.restored = "";
  }
}

/** Open the sections around a new error. @param {Event} event */
function openWrong(event) {
  const { target } = /** @type {CustomEvent} */ (event).detail;
  const error = document.getElementById(target?.id ?? "");
  const section = /** @type {HTMLDetailsElement | null} */ (error?.closest("details[data-section]"));
  if (section && error?.matches(".field__error:not([hidden])")) section.open = true;
}

document.addEventListener("click", ({ target }) => {
  const section = /** @type {Element} */ (target).closest("details[data-section] > summary")?.parentElement;
  if (!section) return;
  // The click toggles the section after this event.
  remember(section.dataset.section ?? "", !(/** @type {HTMLDetailsElement} */ (section).open));
  section.addEventListener("toggle", () => section.scrollIntoView({ block: "nearest" }), { once: true });
});
document.body.addEventListener("htmx:afterSwap", restore);
afterSwaps(restore);
document.body.addEventListener("htmx:oobAfterSwap", openWrong);
restore();
