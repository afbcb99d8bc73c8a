// Protects unsaved input in the inspector: neither a late answer nor a sign-in removes what someone has typed.
import { load } from "../../core/offline.js";
/** @typedef {HTMLInputElement} Field */

const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
const { body } = document;

/** Fields with input of this page, saved or not. @type {Set<Field>} */
const typed = new Set();
let typedAt = 0;

/** Start of the request whose answer is being processed, and of the last rejected request. */
let [sentAt, refusedAt] = [0, 0];
/** Input up to this time has been waited for once; if it is still unsaved, the form says so. */
let awaitedAt = 0;

/** State shared with the module unsaved-form.js, which loads with the first focus. */
const state = {
  /** Unsaved fields, and the time of their last input. @type {Map<Field, number>} */
  unsaved: new Map(),
  /** Values of the fields when they got the focus. @type {WeakMap<EventTarget, string>} */
  initial: new WeakMap(),
  /** The form that a change saves while its field is left. */
  changed: null,
  /** The form whose button was pressed last. */
  sent: null,
};
const { unsaved, initial } = state;

/** @type {Promise<ReturnType<typeof import("./unsaved-form.js").attach>> | undefined} */
let attached;
/** Load the keys and the guard of the forms, once. A field that gets the focus by script waits for it. */
export const attachGuard = () =>
  (attached ??= load(import("./unsaved-form.js")).then(({ attach }) => attach(state), forget));
/** Load it again next time: it cannot be loaded while the server cannot be reached. @returns {any} */
const forget = () => (attached = undefined);

function mark() {
  const isTyped = [...unsaved.keys()].some((field) => field.isConnected);
  inspector.toggleAttribute("data-typed", isTyped);
}

inspector.addEventListener("focusin", ({ target }) => {
  if (!unsaved.has(target)) initial.set(target, target.value);
  attachGuard();
});
inspector.addEventListener("input", ({ target }) => {
  typed.add(/** @type {Field} */ (target));
  unsaved.set(target, (typedAt = performance.now()));
  mark();
});
inspector.addEventListener("focusout", ({ target }) => {
  if (target.value === initial.get(target)) unsaved.delete(target);
  mark();
});
body.addEventListener("htmx:beforeSend", ({ detail }) => (detail.xhr.begun = performance.now()));
body.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr, elt } }) => {
  sentAt = xhr.begun;
  if (xhr.status === 401 || xhr.status === 403)
    load(import("../../core/unsaved-input.js")).then(({ keepForSignIn }) => keepForSignIn(typed));
  if (xhr.status >= 400 && elt.matches("#inspector form")) refusedAt = sentAt;
  if (xhr.status < 300 && elt.matches("#inspector form, #inspector button"))
    markSaved(elt.closest('[hx-trigger^="change"]'));
  mark();
});

/**
 * Input from before the request is saved: in one form, or in all after a merge or a deletion.
 * @param {HTMLFormElement | null} form
 */
const markSaved = (form) =>
  unsaved.forEach((at, field) => at < sentAt && (form ?? field.form) === field.form && unsaved.delete(field));

// Input that could not be sent is saved once the server is reached again, except for a field that is being typed in.
body.addEventListener("baton:online", () => {
  const complete = [...unsaved.keys()].filter((field) => field.isConnected && field !== document.activeElement);
  state.changed = null; // its request has failed
  for (const form of new Set(complete.map((field) => field.form))) form?.requestSubmit();
});

// A gesture from elsewhere tells the server whether someone types here, so that the form is not replaced.
body.addEventListener("htmx:configRequest", ({ detail: { elt, parameters } }) => {
  if (!inspector.contains(elt)) parameters.typing = typing();
});

// A field is saved when it is left. If it is left for the button of its form, the button has nothing to add.
for (const name of ["pointerdown", "keydown"]) {
  const forget = ({ target }) => {
    state.changed = null;
    state.sent = name === "pointerdown" && target.closest("#inspector [type=submit]")?.form;
  };
  addEventListener(name, forget, true);
}
// Ctrl+S and Ctrl+Enter save a field also before the module with the other keys has come.
inspector.addEventListener("keydown", (event) => {
  const form = event.target.closest('[hx-trigger^="change"]');
  if (form && (event.ctrlKey || event.metaKey) && /^(s|Enter)$/i.test(event.key)) {
    event.preventDefault();
    form.requestSubmit();
  }
});
inspector.addEventListener("change", ({ target }) => (state.changed = target.closest('[hx-trigger^="change"]')));
inspector.addEventListener("submit", ({ target }) => (state.sent = target), true);
const skipSaved = (event) => event.target === state.changed && (event.preventDefault(), event.stopPropagation());
inspector.addEventListener("submit", skipSaved, true);

/** The use of the inspector's form, for the server (designer/core/forms/page_state.py): "" if nobody types in it. */
export function typing() {
  if (inspector.querySelector("[data-gone]")) return "gone";
  if (document.querySelector("#inspector[data-typed], #save-state.field__error, #merge > *")) return "typed";
  return inspector.querySelector(":is(input, textarea, select):focus") ? "field" : "";
}

addEventListener("load", async () => {
  if (sessionStorage["baton:typed"]) (await load(import("../../core/unsaved-input.js"))).restoreEditor();
});

// An answer to a request from before the last input does not contain it, so it does not replace the same form. A
// different form is shown from its top.
for (const name of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
  body.addEventListener(name, ({ detail }) => {
    if (detail.target !== inspector) return;
    const html = detail.fragment ?? new DOMParser().parseFromString(detail.serverResponse, "text/html");
    if (placeOf(html) !== placeOf(inspector)) {
      if (isKept(html)) detail.shouldSwap = false;
      else inspector.scrollTop = 0;
    } else if (typedAt > sentAt || "typed" in inspector.dataset) detail.shouldSwap = false;
    if (detail.shouldSwap) unsaved.clear();
    mark();
  });
}

// A new error message marks its field, also outside of the inspector.
body.addEventListener("htmx:oobAfterSwap", ({ detail: { target } }) => {
  const error = document.getElementById(target.id);
  document.getElementById(target.id.split("error-")[1])?.setAttribute("aria-invalid", `${!error.hidden}`);
});

// Fragments name the module that they need.
const loadModules = () =>
  document.querySelectorAll("[data-module]").forEach(({ dataset }) => load(import(`./${dataset.module}.js`)));
body.addEventListener("htmx:afterSettle", loadModules);
loadModules();
// The save state is shown once the first view is drawn.
(globalThis.requestIdleCallback ?? setTimeout)(() => load(import("../save-status.js")).catch(() => {}));

/**
 * Report whether unsaved input keeps its form in place of another one. If someone is typing, or the input was rejected,
 * the form is selected again and says why; a pending save is waited for once.
 * @param {ParentNode} coming
 */
function isKept(coming) {
  const { activeElement } = document;
  const isTyping = inspector.contains(activeElement) && activeElement.matches("input, textarea, select");
  const fields = [...unsaved.keys()].filter((field) => field.isConnected);
  if (!fields.length) return false;
  const isRefused = refusedAt > typedAt || awaitedAt >= typedAt || document.querySelector("#merge > *");
  if (!isTyping) awaitedAt = typedAt;
  attachGuard().then((guard) => guard?.keepForm(coming, isTyping, isRefused ? fields : []));
  return true;
}

/** The subject and the tab in an inspector. @param {ParentNode} html */
const placeOf = (html) => ["select", "tab"].map((name) => html.querySelector(`[name=${name}]`)?.value).join(" ");
