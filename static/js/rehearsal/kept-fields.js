// Keeps values that were typed but not sent, until they are: of calls that wait for approval, of variables, of the
// intent, and of the beginning of a rehearsal. They are in the session storage of the tab, so that they come back after
// another page or a reload.

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
