// What someone types in the inspector is theirs until the server has it: neither a late answer nor a sign-in takes it.

const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
const { body } = document;

/** Fields that were typed in, and when that was last. @type {Set<HTMLInputElement>} */
const typed = new Set();
let typedAt = 0;

/** When the request set out whose answer is here, and when the one did that was refused last. */
let [begun, refusedAt] = [0, 0];
/** What was typed until then has been waited for once: where it is not saved now, that is said. */
let sparedAt = 0;

/** Fields that say what is not saved, and when that was typed. @type {Map<HTMLInputElement, number>} */
export const unsaved = new Map();
/** What a field said when it was turned to, and was as it is saved. @type {WeakMap<EventTarget, string>} */
export const was = new WeakMap();
const mark = () =>
  inspector.toggleAttribute(
    "data-typed",
    [...unsaved.keys()].some((field) => field.isConnected),
  );

inspector.addEventListener("focusin", ({ target }) => {
  if (!unsaved.has(target)) was.set(target, target.value);
  import("./unsaved-form.js");
});
inspector.addEventListener("input", ({ target }) => {
  typed.add(/** @type {HTMLInputElement} */ (target));
  unsaved.set(target, (typedAt = performance.now()));
  mark();
});
inspector.addEventListener("focusout", ({ target }) => {
  if (target.value === was.get(target)) unsaved.delete(target);
  mark();
});
body.addEventListener("htmx:beforeSend", ({ detail }) => (detail.xhr.begun = performance.now()));
body.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr, elt } }) => {
  begun = xhr.begun;
  if (xhr.status === 401 || xhr.status === 403) import("./kept-input.js").then(({ keep }) => keep(typed));
  if (xhr.status >= 400 && elt.matches("#inspector form")) refusedAt = begun;
  if (xhr.status < 300 && elt.matches("#inspector form, #inspector button"))
    settle(elt.closest('[hx-trigger^="change"]'));
  mark();
});

/**
 * What was typed before in the form that is saved is, too; and all, where a merge or a deletion has settled it.
 * @param {HTMLFormElement | null} form
 */
const settle = (form) =>
  unsaved.forEach((at, field) => at < begun && (form ?? field.form) === field.form && unsaved.delete(field));

// A gesture from elsewhere says who is in here: what someone is in is not taken from them.
body.addEventListener(
  "htmx:configRequest",
  ({ detail: { elt, parameters } }) => inspector.contains(elt) || (parameters.typing = typing()),
);

// What is typed is saved as its field is left: the button that it is left for has nothing to add.
export let changed = null;
/** The form whose button was pressed last: where it is refused, the first field in error is shown. */
export let sent = null;
for (const name of ["pointerdown", "keydown"])
  addEventListener(
    name,
    ({ target }) => {
      changed = null;
      sent = name === "pointerdown" && target.closest("#inspector [type=submit]")?.form;
    },
    true,
  );
inspector.addEventListener("submit", ({ target }) => (sent = target), true);
body.addEventListener(
  "htmx:afterRequest",
  ({ detail: { xhr, elt } }) =>
    xhr.status === 422 && elt === sent && import("../../core/form-errors.js").then(({ goToFirst }) => goToFirst(elt)),
);
inspector.addEventListener("change", ({ target }) => (changed = target.closest('[hx-trigger^="change"]')));
inspector.addEventListener(
  "submit",
  (event) => event.target === changed && (event.preventDefault(), event.stopPropagation()),
  true,
);

/** Who is in the inspector's form, as the server knows it (designer/core/forms/page_state.py). */
export function typing() {
  if (inspector.querySelector("[data-gone]")) return "gone";
  if (document.querySelector("#inspector[data-typed], #save-state.field__error, #merge > *")) return "typed";
  return inspector.querySelector(":is(input, textarea, select):focus") ? "field" : "";
}
addEventListener("load", async () => sessionStorage["baton:typed"] && (await import("./kept-input.js")).restore());

// An answer that was asked for before the last key press knows nothing of it: about the same thing, it comes too late.
// Something else is shown from its top.
for (const name of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
  body.addEventListener(name, ({ detail }) => {
    if (detail.target !== inspector) return;
    const html = detail.fragment ?? new DOMParser().parseFromString(detail.serverResponse, "text/html");
    if (about(html) !== about(inspector)) {
      if (spares(html)) detail.shouldSwap = false;
      else inspector.scrollTop = 0;
    } else if (typedAt > begun || "typed" in inspector.dataset) detail.shouldSwap = false;
    if (detail.shouldSwap) unsaved.clear();
    mark();
  });
}

// A field in error says so itself.
body.addEventListener("htmx:oobAfterSwap", ({ detail: { target } }) => {
  const error = document.getElementById(target.id);
  document.getElementById(target.id.split("error-")[1])?.setAttribute("aria-invalid", `${!error.hidden}`);
});

// What is on the page may need a module that few pages do: it says so itself.
const equip = () =>
  document.querySelectorAll("[data-module]").forEach(({ dataset }) => import(`./${dataset.module}.js`));
body.addEventListener("htmx:afterSettle", equip);
equip();

/**
 * Whether what is typed and not saved keeps its form from something else that comes. Where someone is in it still, or
 * it
 * was refused, the form is selected again, and says why. What is on its way to be saved is waited for, once.
 * @param {ParentNode} coming
 */
function spares(coming) {
  const isTyping =
    inspector.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
  const kept = [...unsaved.keys()].filter((field) => field.isConnected);
  if (!kept.length) return false;
  const isRefused = refusedAt > typedAt || sparedAt >= typedAt || document.querySelector("#merge > *");
  if (!isTyping) sparedAt = typedAt;
  import("./unsaved-form.js").then(({ keep }) => keep(coming, isTyping, isRefused ? kept : []));
  return true;
}

/** What an inspector says it shows. @param {ParentNode} html @param {string} name @returns {string | undefined} */
export const shown = (html, name) => html.querySelector(`[name=${name}]`)?.value;

/** A selection and a tab. @param {ParentNode} html */
const about = (html) => `${shown(html, "select")} ${shown(html, "tab")}`;
