// What was typed in the inspector and not saved outlives a sign-in, or a page that is loaded anew for one: it is kept as the page is left, and back with it.
import * as drafts from "./kept-drafts.js";

const KEPT = "baton:typed";
const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));

/** @param {string} name */
const shown = (name) => /** @type {HTMLInputElement | null} */ (inspector.querySelector(`[name=${name}]`))?.value;

/** What this page shows in the inspector. */
const place = () => `${location.pathname}${shown("select")} ${shown("tab")}`;

/** Keep what was typed while the page is left to sign in: by the ends of the ids, which begin anew with every form. @param {Set<HTMLInputElement>} typed */
export function keep(typed) {
  document.body.toggleAttribute("data-kept", true);
  addEventListener("pagehide", () => {
    const values = [...typed].filter((field) => field.isConnected).map((field) => [field.id.slice(9), field.value, field.checked]);
    sessionStorage.setItem(KEPT, JSON.stringify([place(), values]));
    drafts.keep();
  });
}

/** Back from signing in: what was typed stands in its fields again, and is saved. */
export function restore() {
  drafts.restore();
  const [where, values] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  if (where !== place()) return;
  sessionStorage.removeItem(KEPT);
  const found = values.map(([id, value, checked]) => {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(shown("token") + id));
    if (field?.matches(`select:not(:has([value="${CSS.escape(value)}"]))`)) field.append(new Option(value, value));
    return field && Object.assign(field, { value, checked });
  });
  for (const field of found) field?.dispatchEvent(new Event("change", { bubbles: true }));
}
