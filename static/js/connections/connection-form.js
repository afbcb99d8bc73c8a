// The form of a connection: a verdict is about what was tried and nothing else, and the models found can be chosen.
import { goToFirst, mark } from "../core/form-errors.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector(".connection__form"));
const verdict = /** @type {HTMLElement} */ (document.getElementById("trial-result"));

const forget = () => verdict.replaceChildren();
/** The models that were found: they are another server's where it is another. */
const forgetModels = () => document.getElementById("models-found")?.replaceChildren();

form.addEventListener("input", ({ target }) => {
  forget();
  if (/** @type {HTMLInputElement} */ (target).matches("[name=kind], [name=base_url], [name=key], [name=headers]"))
    forgetModels();
  const test = document.getElementById("test-connection");
  test?.dispatchEvent(new CustomEvent("htmx:abort", { bubbles: true, detail: { elt: test } }));
});

form.addEventListener("htmx:beforeRequest", forget);

// The page is not left with what is typed and not saved, unless one says so.
let isTyped = false;
form.addEventListener("input", () => (isTyped = true));
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
  if (xhr.status === 422) goToFirst(form);
});

form.addEventListener("click", ({ target }) => {
  const chosen = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-model]"));
  const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("model"));
  if (!chosen || !field) return;
  field.value = chosen.dataset.model ?? "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});
