// What someone types in the inspector is theirs until the server has it: neither a late answer nor a sign-in takes it.

const KEPT = "baton:typed";
const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
const { body } = document;

/** Fields that were typed in, and when that was last. @type {Set<HTMLInputElement>} */
const typed = new Set();
let typedAt = 0;

/** When the request set out whose answer is here. */
let begun = 0;
let signedOut = false;

inspector.addEventListener("input", ({ target }) => {
  typed.add(/** @type {HTMLInputElement} */ (target));
  typedAt = performance.now();
});
body.addEventListener("htmx:beforeSend", ({ detail }) => (detail.xhr.begun = performance.now()));
body.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr } }) => {
  begun = xhr.begun;
  signedOut ||= xhr.status === 401;
});
addEventListener("pagehide", () => signedOut && keep());
addEventListener("load", restore);

// An answer that was asked for before the last key press knows nothing of it: about the same thing, it comes too late.
// Something else is shown from its top.
for (const name of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
  body.addEventListener(name, ({ detail }) => {
    if (detail.target !== inspector) return;
    const html = detail.fragment ?? new DOMParser().parseFromString(detail.serverResponse, "text/html");
    if (about(html) !== about(inspector)) inspector.scrollTop = 0;
    else if (typedAt > begun) detail.shouldSwap = false;
  });
}

// A field in error says so itself.
body.addEventListener("htmx:oobAfterSwap", ({ detail: { target } }) => {
  const error = document.getElementById(target.id);
  document.getElementById(target.id.split("error-")[1])?.setAttribute("aria-invalid", `${!error.hidden}`);
});

// What is on the page may need a module that few pages do: it says so itself.
const equip = () => document.querySelectorAll("[data-module]").forEach(({ dataset }) => import(`./${dataset.module}.js`));
body.addEventListener("htmx:afterSettle", equip);
equip();

/** What an inspector says it shows. @param {ParentNode} html @param {string} name */
const shown = (html, name) => html.querySelector(`[name=${name}]`)?.value;

/** A selection and a tab. @param {ParentNode} html */
const about = (html) => `${shown(html, "select")} ${shown(html, "tab")}`;

/** What this page shows there. */
const place = () => location.pathname + about(inspector);

/** Keep what was typed while the page is left to sign in: by the ends of the ids, which begin anew with every form. */
function keep() {
  const values = [...typed].filter((field) => field.isConnected).map((field) => [field.id.slice(9), field.value, field.checked]);
  sessionStorage.setItem(KEPT, JSON.stringify([place(), values]));
}

/** Back from signing in: what was typed stands in its fields again, and is saved. */
function restore() {
  const [where, values] = JSON.parse(sessionStorage.getItem(KEPT)) ?? [];
  if (where !== place()) return;
  sessionStorage.removeItem(KEPT);
  const found = values.map(([id, value, checked]) => {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(shown(inspector, "token") + id));
    if (field?.matches(`select:not(:has([value="${CSS.escape(value)}"]))`)) field.append(new Option(value, value));
    return field && Object.assign(field, { value, checked });
  });
  for (const field of found) field?.dispatchEvent(new Event("change", { bubbles: true }));
}
