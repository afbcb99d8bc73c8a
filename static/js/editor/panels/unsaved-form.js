// Guards the inspector's unsaved form: when another part is clicked, the form stays and offers to save or discard.
import { errorsOf, goTo, goToFirst } from "../../core/form-errors.js";
import { announce } from "../../core/notice.js";
import { isOffline } from "../../core/offline.js";
import { showSheet } from "../../core/panel-sheets.js";
import { keepInspector } from "../../core/unsaved-input.js"; // loaded before a sign-in can interrupt
import { ignoreBackspace } from "../backspace-guard.js";
import { submit } from "../submit-gesture.js";

/** @typedef {import("../selection.js").Subject} Subject */
/**
 * Shared with inspector.js.
 * @typedef {{unsaved: Map<any, number>, initial: WeakMap<any, string>, changed: any, sent: any}} State
 */

const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
const MAX_NAMED = 3; // fields named in the notice

/** Attach the guard to the inspector. @param {State} state */
export function attach(state) {
  removeNoticeWhenSaved();
  guardPage(state);
  offerKeys();
  holdBackPartialInput(state);
  keepDecision();
  showErrors(state);

  /**
   * Keep the form instead of another one. A pending save is waited for; otherwise the form is selected again.
   * @param {ParentNode} coming the other inspector
   * @param {boolean} isTyping
   * @param {HTMLInputElement[]} fields that will not be saved without a decision
   */
  function keepForm(coming, isTyping, fields) {
    const tab = valueIn(coming, "select") === valueIn(inspector, "select") && valueIn(coming, "tab");
    if (!isTyping && !fields.length) return requestAgain(coming, tab);
    document.body.dispatchEvent(new CustomEvent("baton:selected", { detail: subjectOf(inspector) }));
    if (!isTyping) showNotice(state, fields, subjectOf(coming), tab);
  }
  return { keepForm };
}

function removeNoticeWhenSaved() {
  const remove = () => "typed" in inspector.dataset || document.getElementById("unsaved")?.remove();
  new MutationObserver(remove).observe(inspector, { attributeFilter: ["data-typed"] });
}

/**
 * Ask before the page is left with input that is rejected, unfinished, or cannot be sent. A pending save continues, and
 * a sign-in keeps the input. If the page is left all the same, the input is restored on return.
 * @param {State} state
 */
function guardPage({ unsaved }) {
  addEventListener("beforeunload", (event) => {
    const hasFocus = ":has(:is(input, textarea, select):focus)";
    const isRefused = ":has(.field__error:not([hidden]), #save-state.field__error, #merge > *)";
    const isUnfinished = isOffline() || inspector.matches(`:is(${hasFocus}, ${isRefused})`);
    if (isUnfinished && inspector.matches("body:not([data-input-kept]) [data-typed]")) event.preventDefault();
  });
  addEventListener("pagehide", () => {
    if (inspector.matches("body:not([data-input-kept]) [data-typed]")) keepInspector(unsaved.keys(), false);
  });
}

/**
 * Mark fields with a new error message, and go to the first one if the button of the form was pressed. Show the notice
 * of a conflict, which is above the fields.
 * @param {State} state
 */
function showErrors(state) {
  document.body.addEventListener("htmx:afterRequest", ({ detail: { xhr, elt } }) => {
    if (xhr.status === 422 && elt === state.sent) goToFirst(elt);
    if (xhr.status === 412) document.getElementById("merge")?.scrollIntoView({ block: "nearest" });
  });
}

/** Ctrl+S and Ctrl+Enter save; Escape returns to the canvas, which saves because the field is left. */
function offerKeys() {
  inspector.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing, target, defaultPrevented } = event;
    const isSaving = (ctrlKey || metaKey) && /^(s|Enter)$/i.test(key);
    if (isComposing || defaultPrevented || !(isSaving || key === "Escape")) return;
    if (target.closest("#several, dialog")) return; // multi-selection.js clears the selection
    event.preventDefault();
    if (isSaving) return target.form?.requestSubmit();
    const card = document.querySelector('#canvas [aria-current="true"]') ?? document.getElementById("canvas");
    /** @type {HTMLElement} */ (card).focus({ preventScroll: true });
    ignoreBackspace(target);
  });
}

/**
 * Requests queue. When the turn of a request comes, the focused field of its form may contain half a word: the request
 * carries the earlier value, and the rest is saved when the field is left.
 * @param {State} state
 */
function holdBackPartialInput({ unsaved, initial, changed, sent }) {
  /** Values of fields when they got the focus or were sent. @type {WeakMap<Element, string>} */
  const complete = new WeakMap();
  const remember = (field) => field && complete.set(field, field.value);
  for (const name of ["focusin", "change", "submit"])
    inspector.addEventListener(name, () => remember(document.activeElement), true);
  // Input changed or submitted before this module was loaded is sent as it is.
  const { activeElement } = document;
  if ([changed, sent].includes(/** @type {any} */ (activeElement)?.form)) remember(activeElement);

  /** @type {any} the field with an incomplete value in the request */
  let held = null;
  document.body.addEventListener("htmx:configRequest", ({ detail: { elt, parameters } }) => {
    const field = /** @type {any} */ (document.activeElement);
    const value = complete.get(field) ?? initial.get(field) ?? field?.value;
    held = field?.form === elt && value !== field.value ? field : null;
    if (held) parameters[field.name] = value;
  });
  // The field remains unsaved, whatever the answer says about its form.
  document.body.addEventListener("htmx:beforeSend", ({ detail: { xhr } }) => held && unsaved.set(held, xhr.begun));
}

/**
 * While a person decides between two texts, a field that is left is not sent again: the answer would replace the
 * decision's form, and with it the click that moved the focus.
 */
function keepDecision() {
  /** @type {WeakMap<EventTarget, string>} */
  const sent = new WeakMap();
  document.body.addEventListener("htmx:beforeSend", ({ detail: { elt } }) => {
    const fields = /** @type {Iterable<any>} */ (elt.elements ?? []);
    for (const field of fields) sent.set(field, field.value);
  });
  const isSent = (field) => sent.get(field) === field.value && document.querySelector("#merge > *");
  inspector.addEventListener("change", (event) => isSent(event.target) && event.stopPropagation(), true);
}

/**
 * Request a subject again, after pending saves: a selection queues, so the tab follows it.
 * @param {ParentNode} coming
 * @param {string | false | undefined} tab
 */
async function requestAgain(coming, tab) {
  await submit("select", subjectOf(coming));
  if (tab) document.getElementById(`tab-${tab}`)?.click();
}

/** @param {ParentNode} html @param {string} name @returns {string | undefined} */
const valueIn = (html, name) => /** @type {any} */ (html.querySelector(`[name=${name}]`))?.value;

/** The subject in an inspector. @param {ParentNode} html @returns {Subject} */
function subjectOf(html) {
  const [kind, key = ""] = (valueIn(html, "select") || "pipeline").split(/:(.*)/);
  return { kind, key };
}

/**
 * Show the unsaved fields and their errors, with links to them and buttons that save, or discard and continue to the
 * clicked part.
 * @param {State} state
 * @param {HTMLInputElement[]} fields
 * @param {Subject} coming the clicked part
 * @param {string | false | undefined} tab the clicked tab, if the part is the same
 */
function showNotice(state, fields, coming, tab) {
  const but = document.getElementById("save-state")?.dataset.but; // absent while another part is loading
  const form = document.getElementById(`field-${but?.split(" ")[0]}`)?.closest("form");
  // A form saved except for some fields is unsaved in those only.
  const isExcepted = (field) => but?.split(" ").some((id) => id && field.closest(`#field-${id}`));
  fields = fields.filter((field) => field.form !== form || isExcepted(field));
  const box = Object.assign(document.createElement("div"), { id: "unsaved", className: "merge" });
  const title = titleFor(fields);
  const errors = errorsOf(inspector).map(errorLine);
  box.append(title, ...errors, buttonsFor(state, fields, coming, tab));
  document.getElementById("unsaved")?.remove();
  document.getElementById("inspector-state")?.after(box);
  showSheet("right");
  inspector.scrollTop = 0;
  announce([title, ...errors].map(({ textContent }) => textContent).join(" "));
}

/** @param {HTMLInputElement[]} fields */
function titleFor(fields) {
  const labelled = fields.filter((field) => !field.closest("#merge") && labelOf(field));
  const named = new Map(labelled.map((field) => [labelOf(field), field]));
  const links = [...named].slice(0, MAX_NAMED).map(([name, field], at) => [at ? ", " : "", linkTo(field, name)]);
  const more = named.size - MAX_NAMED;
  const rest = more > 0 ? `, and ${more} more. ` : ". ";
  const title = Object.assign(document.createElement("p"), { className: "merge__title" });
  title.append("Not saved: ", ...links.flat(), named.size ? rest : "your input. ", "Save it, or discard it.");
  return title;
}

/** @param {ReturnType<typeof errorsOf>[number]} problem */
function errorLine({ error, field }) {
  const [message, name] = [error.textContent ?? "", field ? labelOf(field) : ""];
  const line = Object.assign(document.createElement("p"), { className: "field__error" });
  const text = message.startsWith(name) ? message : `${name}: ${message}`;
  line.append(field ? linkTo(field, text) : message);
  return line;
}

/**
 * @param {State} state
 * @param {HTMLInputElement[]} fields
 * @param {Subject} coming
 * @param {string | false | undefined} tab
 */
function buttonsFor({ unsaved }, fields, coming, tab) {
  const buttons = Object.assign(document.createElement("div"), { className: "buttons" });
  const [save, discard] = ["Save", "Discard"].map((textContent) =>
    Object.assign(document.createElement("button"), { type: "button", className: "button button--small", textContent }),
  );
  save.addEventListener("click", () => {
    goTo(fields[0]);
    for (const form of new Set(fields.map(({ form }) => form))) form?.requestSubmit();
  });
  // Without a tab, the button selects the clicked part: the editor handles the click after the input is discarded.
  if (!tab) Object.assign(discard.dataset, { select: coming.kind, key: coming.key });
  discard.addEventListener("click", () => {
    unsaved.clear();
    inspector.removeAttribute("data-typed");
    const current = () => document.querySelector('#canvas [aria-current="true"]') ?? document.getElementById("canvas");
    const next = () => /** @type {HTMLElement | null} */ (tab ? document.getElementById(`tab-${tab}`) : current());
    if (tab) next()?.click();
    setTimeout(() => next()?.focus({ preventScroll: true }));
  });
  buttons.append(save, discard);
  return buttons;
}

/** A button that goes to a field. @param {HTMLElement} field @param {string} textContent */
function linkTo(field, textContent) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent });
  button.addEventListener("click", () => goTo(field));
  return button;
}

/** The text of a field's label. @param {any} field */
const labelOf = (field) =>
  (field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? "").trim().replace(/\s+/g, " ");
