// The form of a connection: a test result disappears when the form changes, and a model can be chosen from those found.
import { errorsOf, goToFirst, mark } from "../core/form-errors.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector(".connection__form"));
const verdict = /** @type {HTMLElement} */ (document.getElementById("trial-result"));

const forget = () => verdict.replaceChildren();
/** The models found belong to the tested server. */
const forgetModels = () => document.getElementById("models-found")?.replaceChildren();

form.addEventListener("input", ({ target }) => {
  forget();
  if (/** @type {HTMLInputElement} */ (target).matches("[name=kind], [name=base_url], [name=key], [name=headers]"))
    forgetModels();
  const test = document.getElementById("test-connection");
  test?.dispatchEvent(new CustomEvent("htmx:abort", { bubbles: true, detail: { elt: test } }));
});

form.addEventListener("htmx:beforeRequest", forget);

// Ask before the page is left with unsaved input.
let isTyped = false;
form.addEventListener("input", () => {
  isTyped = true;
  showState("Not saved yet");
});
form.addEventListener("htmx:beforeRequest", ({ target }) => target === form && showState("Saving…"));
form.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = /** @type {CustomEvent} */ (event).detail;
  if (elt === form && xhr.status < 300) isTyped = false;
});
form.querySelector("[data-discards]")?.addEventListener("click", () => (isTyped = false));
document.querySelector("#delete-dialog form")?.addEventListener("submit", () => (isTyped = false));
addEventListener("beforeunload", (event) => isTyped && event.preventDefault());

form.addEventListener("htmx:afterRequest", (event) => {
  const { xhr } = /** @type {CustomEvent} */ (event).detail;
  mark(form);
  if (event.target === form && xhr.status >= 300) showState(`Not saved${fieldsInError()}`, true);
  if (xhr.status === 422) goToFirst(form);
});

/** Show the save state next to the button. @param {string} text @param {boolean} [isRefused] */
function showState(text, isRefused = false) {
  const state = /** @type {HTMLElement} */ (document.getElementById("save-status"));
  state.textContent = text;
  state.toggleAttribute("data-refused", isRefused);
}

/** The labels of the fields in error, after a colon. */
function fieldsInError() {
  const labels = errorsOf(form).map(({ error }) => error.closest(".field")?.querySelector("label")?.textContent);
  const names = labels.filter(Boolean).map((label) => label?.trim());
  return names.length ? `: ${names.join(", ")}` : "";
}

form.addEventListener("click", ({ target }) => {
  const chosen = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-model]"));
  const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("model"));
  if (!chosen || !field) return;
  field.value = chosen.dataset.model ?? "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});
