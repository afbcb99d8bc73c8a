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

// A stored connection saves itself when a field is left; a new one has a button. The state is next to the buttons.
const savesItself = form.hasAttribute("data-saves-itself");
let isUnsaved = false;
/** Values in the last request, by the field's name. @type {FormData} */
let sent = new FormData();

form.addEventListener("input", () => {
  isUnsaved = true;
  showState("Not saved yet");
});
form.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target !== form) return;
  sent = new FormData(form);
  if (savesItself) isUnsaved = false; // the request continues if the page is left
  showState("Saving…");
});
form.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = /** @type {CustomEvent} */ (event).detail;
  if (elt === form && xhr.status < 300) isUnsaved = savesItself && isChanged(form); // before the secrets are removed
});
form.addEventListener("htmx:afterRequest", (event) => {
  const { xhr } = /** @type {CustomEvent} */ (event).detail;
  mark(form);
  if (xhr.status === 422 && !(savesItself && event.target === form)) goToFirst(form);
  if (event.target !== form) return;
  const isSaved = xhr.status >= 200 && xhr.status < 300; // 0 while the server cannot be reached
  isUnsaved ||= !isSaved;
  if (isSaved) showState(isUnsaved ? "Not saved yet" : "Saved");
  else showState(`Not saved${fieldsInError()}`, true);
});
// Text typed since the request stays.
document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, shouldSwap } = /** @type {CustomEvent} */ (event).detail;
  /** @type {CustomEvent} */ (event).detail.shouldSwap = shouldSwap && !(target.matches(".field") && isChanged(target));
});
document.body.addEventListener("baton:online", () => savesItself && isUnsaved && form.requestSubmit());

// Ask before the page is left with unsaved input.
form.querySelector("[data-discards]")?.addEventListener("click", () => (isUnsaved = false));
document.querySelector("#delete-dialog form")?.addEventListener("submit", () => (isUnsaved = false));
addEventListener("beforeunload", (event) => isUnsaved && event.preventDefault());

/** Report whether a field has another text than in the last request. @param {HTMLElement} part */
function isChanged(part) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (part.querySelectorAll("input, textarea, select"));
  return [...fields].some(({ name, type, value, checked }) => {
    const old = sent.get(name);
    if (type === "checkbox") return checked !== (old !== null);
    return typeof old === "string" && withoutBreaks(old) !== withoutBreaks(value);
  });
}

/** Line breaks differ between a field and a request. @param {string} text */
const withoutBreaks = (text) => text.replaceAll("\r", "");

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
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  field.focus();
});
