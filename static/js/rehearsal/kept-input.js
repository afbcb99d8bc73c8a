// Keeps what was typed but not sent, until it is. Fields of calls that wait for approval, of variables, of the intent
// and of the beginning of a rehearsal are kept in the session storage of the tab, so that they come back after another
// page or a reload. A dialog about one of many messages keeps its text for each of them, however it closes.

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const NAME = "baton:fields";
const FIELDS = "[data-keep] :is(input:not([type=hidden]), select, textarea)";

const user = document.getElementById("message-text")?.dataset.unsavedKey?.split(" ")[0];
/** The kept values by the keys of their fields. @type {Record<string, string>} */
const kept = JSON.parse(sessionStorage[NAME] ?? "{}");

/** The key of a field: of its user, page and place. @param {Field} field */
const keyOf = (field) =>
  [user, location.pathname, field.closest("[data-keep]")?.getAttribute("data-keep"), field.name].join(" ");

/** @param {() => void} change */
function update(change) {
  change();
  sessionStorage[NAME] = JSON.stringify(kept);
}

document.addEventListener("input", ({ target, isTrusted }) => {
  const field = /** @type {Field} */ (target);
  if (isTrusted && field.matches(FIELDS)) update(() => (kept[keyOf(field)] = field.value));
});

document.addEventListener("submit", ({ target }) => {
  const fields = [.../** @type {HTMLFormElement} */ (target).elements].filter((element) => element.matches(FIELDS));
  update(() => fields.forEach((field) => delete kept[keyOf(/** @type {Field} */ (field))]));
});

/** Fill in the kept values. @param {Element | Document} root */
function restore(root) {
  for (const field of /** @type {NodeListOf<Field>} */ (root.querySelectorAll(FIELDS))) {
    const value = kept[keyOf(field)];
    if (value === undefined || value === field.value) continue;
    const before = field.value;
    field.value = value;
    if (field.value === value) field.dispatchEvent(new Event("input", { bubbles: true }));
    else field.value = before; // a choice that is not offered any more
  }
}

restore(document);
document.addEventListener("htmx:load", ({ target }) => restore(/** @type {Element} */ (target)));

/**
 * Keep the texts of a dialog's field by message.
 * @param {HTMLTextAreaElement} field
 * @param {() => string} message the message that the dialog is about now
 * @returns {(message: string) => string | undefined} the kept text of a message
 */
export function keepTexts(field, message) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  field.addEventListener("input", ({ isTrusted }) => isTrusted && texts.set(message(), field.value));
  field.form?.addEventListener("submit", () => texts.delete(message()));
  return (message) => texts.get(message);
}
