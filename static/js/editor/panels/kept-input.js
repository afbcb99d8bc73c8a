// What was typed in the inspector and not saved outlives the page: it is kept as that is left, and back with it.
import * as drafts from "./kept-drafts.js";
import { notify } from "../../core/notice.js";

const KEPT = "baton:typed";
const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));

/** @param {string} name */
const shown = (name) => /** @type {HTMLInputElement | null} */ (inspector.querySelector(`[name=${name}]`))?.value;

/** What this page shows in the inspector. */
const place = () => `${location.pathname}${shown("select")} ${shown("tab")}`;

/**
 * Keep what some fields say while the page is left: by the ends of the ids, which begin anew with every form.
 * @param {Iterable<HTMLInputElement>} fields
 * @param {boolean} isSent whether it is to be saved once it is back, as it was to be
 */
export function put(fields, isSent) {
  const values = [...fields]
    .filter((field) => field.isConnected)
    .map((field) => [field.id.slice(9), field.value, field.checked]);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([place(), values, isSent]));
  } catch {
    // Without storage, or where it is full, it is lost with the page.
  }
}

/** Keep what was typed while the page is left to sign in. @param {Set<HTMLInputElement>} typed */
export function keep(typed) {
  document.body.toggleAttribute("data-kept", true);
  addEventListener("pagehide", () => {
    put(typed, true);
    drafts.keep();
  });
}

/** Back again: what was typed stands in its fields as it did. What a sign-in was in the way of is saved. */
export function restore() {
  drafts.restore();
  const [where, values, isSent] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  if (where !== place()) return;
  sessionStorage.removeItem(KEPT);
  const found = values.map(([id, value, checked]) => {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(shown("token") + id));
    if (field?.matches(`select:not(:has([value="${CSS.escape(value)}"]))`)) field.append(new Option(value, value));
    return field && Object.assign(field, { value, checked });
  });
  for (const field of found) field?.dispatchEvent(new Event(isSent ? "change" : "input", { bubbles: true }));
  if (isSent) return;
  found.find((field) => field)?.focus({ preventScroll: true });
  notify("What you typed is here again, and not saved yet.", "warning");
}
