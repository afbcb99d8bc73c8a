// Find and replace: opens the tab, and shows a result in the form of its part.
import { showSheet } from "../../core/panel-sheets.js";
import { isSaving } from "../../core/press.js";
import "../../core/unsaved-input.js";
import { isField } from "../../canvas/pointer.js";
import { ignoreBackspace } from "../backspace-guard.js";
import { submit } from "../submit-gesture.js";

const { body } = document;
let opening = false;

/**
 * Open the tab “Find”, and focus one of its fields. A button may name the text to find.
 * @param {import("../../canvas/commands/command.js").Page} page
 * @param {string} field an id
 * @param {Event} [event]
 */
export async function openFind(page, field, event) {
  if (opening) return;
  opening = true;
  showSheet("bottom");
  const tab = /** @type {HTMLElement} */ (document.getElementById("tab-find"));
  if (!document.getElementById("find") && !document.activeElement?.matches("#tab-find")) tab.click();
  const input = await waitFor(() => document.getElementById(field));
  opening = false;
  const first = /** @type {HTMLInputElement | null} */ (document.getElementById("find-text"));
  const named = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event?.target)?.closest("[data-text]"));
  if (first && named) {
    first.value = named.dataset.text ?? "";
    first.form?.requestSubmit();
  }
  if (document.activeElement?.closest("#find")) return; // it is in use already
  const wanted = /** @type {HTMLInputElement | null} */ (first?.value ? input : first);
  wanted?.focus();
  wanted?.select();
}

/**
 * Show a search result: select its part, and select the text in the part's form.
 * @param {import("../../canvas/commands/command.js").Page} page
 * @param {Event} [event]
 */
export async function showHit(page, event) {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event?.target).closest("[data-found]"));
  const { kind = "", key = "", start = "0", found = "" } = button?.dataset ?? {};
  const { activeElement } = document;
  page.choose(/** @type {any} */ ({ kind, key }));
  const field = await waitFor(() => fieldOf(key ? `${kind}:${key}` : kind, found, Number(start)));
  const isElsewhere = isField(document.activeElement) && document.activeElement !== activeElement;
  if (!field || isElsewhere) return; // the focus stays with what is typed
  showSheet("right");
  for (const details of parentsOf(field, "details")) details.setAttribute("open", "");
  const at = field.value.startsWith(found, Number(start)) ? Number(start) : field.value.indexOf(found);
  field.focus();
  field.setSelectionRange(at, at + found.length);
}

/**
 * The field of the inspector with the text, preferably at its former position.
 * @param {string} subject
 * @param {string} found
 * @param {number} start
 */
function fieldOf(subject, found, start) {
  const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
  if (/** @type {HTMLInputElement | null} */ (inspector.querySelector("[name=select]"))?.value !== subject) return null;
  const fields = /** @type {HTMLInputElement[]} */ ([...inspector.querySelectorAll("textarea, input[type=text]")]);
  return (
    fields.find(({ value }) => value.startsWith(found, start)) ??
    fields.find(({ value }) => value.includes(found)) ??
    null
  );
}

/**
 * Wait until an answer of the server has brought an element; null after a timeout.
 * @template T
 * @param {() => T | null} look
 * @returns {Promise<T | null>}
 */
function waitFor(look) {
  const found = look();
  if (found) return Promise.resolve(found);
  return new Promise((resolve) => {
    const again = () => {
      const now = look();
      if (now) stop(now);
    };
    const stop = (now) => {
      clearTimeout(timer);
      body.removeEventListener("htmx:afterSettle", again);
      resolve(now);
    };
    const timer = setTimeout(() => stop(null), 5000);
    body.addEventListener("htmx:afterSettle", again);
  });
}

/** @param {Element} element @param {string} name */
function* parentsOf(element, name) {
  for (let found = element.closest(name); found; found = found.parentElement?.closest(name) ?? null) yield found;
}

// Enter shows the first hit of the text, if it is listed already. Escape returns to the canvas.
body.addEventListener("keydown", (event) => {
  const { key } = event;
  const target = /** @type {HTMLInputElement} */ (event.target);
  const listed = /** @type {HTMLInputElement | null} */ (document.querySelector("#replace-form > [name=text]"));
  if (key === "Enter" && !event.isComposing && target.id === "find-text" && listed?.value === target.value) {
    const hit = /** @type {HTMLElement | null} */ (document.querySelector("#found [data-found]"));
    if (hit) event.preventDefault();
    hit?.click();
  }
  if (key === "Escape" && target.closest("#find")) {
    document.getElementById("canvas")?.focus();
    ignoreBackspace(target);
  }
});

// An edit may move the results, so the search is repeated.
body.addEventListener("htmx:oobAfterSwap", (event) => {
  const { target, xhr } = /** @type {CustomEvent} */ (event).detail;
  const text = /** @type {HTMLInputElement | null} */ (document.getElementById("find-text"));
  if (target.id !== "version-chip" || !text?.value || xhr?.responseText.includes('id="found"')) return;
  text.form?.requestSubmit();
});

// A replacement waits until all texts are saved, because it may change the same ones. The press of its button leaves
// the field of a text, and saves it.
body.addEventListener("htmx:confirm", async (event) => {
  const { elt, issueRequest } = /** @type {CustomEvent} */ (event).detail;
  if (elt.id !== "replace-form") return;
  event.preventDefault();
  if ("waits" in elt.dataset) return;
  elt.dataset.waits = "";
  await submit("replace", {}, () => false); // sends nothing, in the turn after the gestures
  while (isSaving())
    await new Promise((resolve) => body.addEventListener("htmx:afterRequest", resolve, { once: true }));
  delete elt.dataset.waits;
  issueRequest();
});

// htmx shows an answer only if the form that asked is still there. A replacement on its way brings newer results.
body.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail.target.id === "found" && document.querySelector("#replace-form:is(.htmx-request, [data-waits])"))
    detail.shouldSwap = false;
});
