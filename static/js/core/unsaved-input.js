// Keeps unsaved input across page loads, in the session storage of the tab: what was typed into a form of a page, a
// message, the inspector, a routing rule, the outline or a marked field comes back after a reload or a sign-in. It is
// sent again only when its author sends it or leaves the field. Passwords, keys and files are never kept. Before a page
// with other unsent text is left, the browser asks.
import { announce, notify } from "./notice.js";
import "./press.js";

const PAGE_FORM = "baton:unsent";
const INSPECTOR = "baton:typed";
const DRAFTS = "baton:drafts";

/** @param {string} name @returns {any} the stored value, or null */
function load(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {unknown} value */
function store(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage, or if it is full, the input is lost with the page.
  }
}

/** Fill in a field; a choice that is not offered any more is added. @param {any} field @param {string} value */
function fill(field, value) {
  if (field.matches(`select:not(:has([value="${CSS.escape(value)}"]))`)) field.append(new Option(value, value));
  field.value = value;
}

// ---- Forms of whole pages ----

const KEPT_FIELDS = "textarea, select, input:not([type=hidden], [type=password], [type=file])";

/** @param {HTMLFormElement} form @returns {any[]} */
const fieldsOf = (form) => [...form.elements].filter((field) => field.matches(KEPT_FIELDS));

/** The identity of a form: its address and the names of its fields. @param {HTMLFormElement} form */
function identityOf(form) {
  const { pathname } = new URL(form.getAttribute("action") ?? "", location.href);
  return [pathname, ...fieldsOf(form).map(({ name }) => name)].join(" ");
}

/**
 * Keep each submitted form until the next page shows whether it was accepted; a rejected form is restored on the page
 * after that, when the person is signed in again.
 */
function keepPageForms() {
  addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (event.defaultPrevented || form.method !== "post" || form.closest(".sign-in")) return;
    const values = fieldsOf(form).map(({ value, checked }) => [value, checked]);
    if (values.length) store(PAGE_FORM, { form: identityOf(form), values });
  });

  const kept = load(PAGE_FORM);
  if (!kept) return;
  if (document.querySelector("[data-refused], .sign-in ~ #notice [data-level=warning]"))
    store(PAGE_FORM, { ...kept, isRefused: true });
  else if (kept.isRefused) restorePageForm(kept);
  else sessionStorage.removeItem(PAGE_FORM); // it was accepted
}

/** @param {{form: string, values: [string, boolean][]}} kept */
function restorePageForm({ form: identity, values }) {
  const form = [...document.forms].find((form) => form.method === "post" && identityOf(form) === identity);
  if (!form) return;
  sessionStorage.removeItem(PAGE_FORM);
  const fields = fieldsOf(form);
  values.forEach(([value, checked], at) => {
    Object.assign(fields[at], /radio|checkbox/.test(fields[at].type) ? { checked } : { value });
    fields[at].dispatchEvent(new Event("input", { bubbles: true }));
  });
  const dialog = form.closest("dialog");
  if (dialog && !dialog.open) dialog.showModal();
  (fields.find((field) => field.matches("[autofocus]")) ?? fields[0]).focus();
  notify("Your input was restored. It has not been sent yet.", "warning");
}

// ---- Unsent text of dialogs and pages ----

/** Fields with typed text that is not sent. @type {Set<any>} */
const typedFields = new Set();
const TYPED = "textarea, input:not([type=checkbox], [type=radio])";
const KEPT = "[data-keep] *, #message-text, .sign-in *";
const isEditor = document.getElementById("inspector") !== null; // its forms save themselves
const PAGE_FORM_FIELDS = "form[method=post]:not([data-guarded], [hx-trigger*=change], dialog *) *";
const UNSENT = isEditor ? "dialog[open] *" : `dialog[open] *, ${PAGE_FORM_FIELDS}`;

document.addEventListener("input", ({ target, isTrusted }) => {
  const field = /** @type {Element} */ (target);
  if (isTrusted && field.matches(TYPED) && !field.matches(KEPT)) typedFields.add(field);
});
document.addEventListener("submit", ({ target }) => {
  for (const field of /** @type {HTMLFormElement} */ (target).elements) typedFields.delete(field);
});
// Cancel discards the text.
document.addEventListener("click", ({ target }) => {
  if (/** @type {Element} */ (target).closest("form .buttons a")) typedFields.clear();
});
addEventListener("beforeunload", (event) => {
  const isUnsent = (field) => field.matches(UNSENT) && field.value !== field.defaultValue;
  if ([...typedFields].some(isUnsent)) event.preventDefault();
});

// ---- The message of a conversation ----

/**
 * Keep a message with its id, for its author and conversation, until it is sent. The id prevents a message that did
 * arrive from being offered again.
 * @param {HTMLTextAreaElement} text
 * @param {HTMLInputElement} id
 * @returns {() => void} stores the present text
 */
export function keepMessage(text, id) {
  const name = `half-written ${text.dataset.unsavedKey}`;
  const nameOfNext = `next ${text.dataset.unsavedKey?.split(" ")[0]}`; // of the same person, on another page
  /** The first message while its answer, the page of the conversation, is awaited. @type {string | null} */
  let first = null;
  const keep = () => {
    if (first !== null) store(nameOfNext, text.value.startsWith(first) ? text.value.slice(first.length) : "");
    else if (text.value.trim()) store(name, [text.value, id.value]);
    else sessionStorage.removeItem(name);
  };
  const next = load(nameOfNext);
  const { defaultValue: refused, value } = text; // what follows the refused text was typed on this page already
  if (next) text.value = (refused + next + value.slice(refused.length)).trimStart();
  sessionStorage.removeItem(nameOfNext);
  const [keptText, keptId] = load(name) ?? ["", ""];
  const hasArrived = document.querySelector(`[data-message="${CSS.escape(keptId)}"]`);
  if (keptText && !text.value && !hasArrived) [text.value, id.value] = [keptText, keptId];
  keep();
  text.addEventListener("input", keep);
  // The first message begins a conversation on a page of its own; what is typed meanwhile goes to its field.
  if (text.form?.method === "post") {
    text.form.addEventListener("submit", (event) => {
      if (first !== null && text.value !== first) return event.preventDefault(); // a further message waits
      first = text.value;
      sessionStorage.removeItem(name);
    });
    addEventListener("pageshow", ({ persisted }) => persisted && (first = null));
  }
  return keep;
}

// ---- Fields that are kept for their place, marked by data-keep, until their form is sent ----

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const PLACES = "baton:fields";
const FIELDS = "[data-keep] :is(input:not([type=hidden]), select, textarea)";

const user = document.getElementById("message-text")?.dataset.unsavedKey?.split(" ")[0];
/** The kept values by the keys of their fields. @type {Record<string, string>} */
const kept = load(PLACES) ?? {};

/** The key of a field: of its user, page and place. @param {Field} field */
const keyOf = (field) =>
  [user, location.pathname, field.closest("[data-keep]")?.getAttribute("data-keep"), field.name].join(" ");

/** @param {() => void} change */
function update(change) {
  change();
  store(PLACES, kept);
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
    if (field.value !== value) field.value = before; // a choice that is not offered any more
    else field.dispatchEvent(new Event("input", { bubbles: true }));
    field.closest("details")?.setAttribute("open", "");
  }
}

restore(document);
document.addEventListener("htmx:load", ({ target }) => restore(/** @type {Element} */ (target)));

// ---- The inspector ----

/** @param {string} name of a field of the inspector's state @returns {HTMLInputElement | null} */
const stateField = (name) => document.querySelector(`#inspector [name=${name}]`);

/** @param {string} name of a field of the inspector's state */
const inspectorState = (name) => stateField(name)?.value;

/** The fields that tell the server which values the form was opened with, so that it finds changes by others. */
const OPENED_WITH = ["base", "was"];

/** The subject and the tab in the inspector of this page. */
const inspectorPlace = () => `${location.pathname}${inspectorState("select")} ${inspectorState("tab")}`;

/**
 * Keep fields of the inspector. Their ids begin with a token that changes with every form, so it is left out.
 * @param {Iterable<HTMLInputElement>} fields
 * @param {boolean} isSaving whether a save was interrupted, which is repeated after the restoration
 */
export function keepInspector(fields, isSaving) {
  const connected = [...fields].filter((field) => field.isConnected);
  const values = connected.map(({ id, value, checked }) => [id.slice(9), value, checked]);
  store(INSPECTOR, [inspectorPlace(), values, isSaving, OPENED_WITH.map(inspectorState)]);
}

/**
 * Keep the inspector, the rule form and the outline when the page is left for a sign-in.
 * @param {Set<HTMLInputElement>} typed
 */
export function keepForSignIn(typed) {
  document.body.toggleAttribute("data-input-kept", true);
  addEventListener("pagehide", () => {
    keepInspector(typed, true);
    keepDrafts();
  });
}

/** Restore the kept input of the editor. */
export function restoreEditor() {
  restoreDrafts();
  restoreInspector();
}

/**
 * Open the part with kept input, in whatever way this page of the pipeline was opened.
 * @returns {boolean} false if there is no such part any more
 */
function openPlace(place) {
  const [select, tab] = place.slice(location.pathname.length).split(/ (\w*)$/);
  const query = `?${new URLSearchParams({ select, tab })}`;
  if (query === location.search) return false;
  location.replace(query);
  return true;
}

/** The field with an id of the inspector. @returns {HTMLInputElement | null} */
const inspectorField = (id) => /** @type {any} */ (document.getElementById(inspectorState("token") + id));

/** Add empty rows until the form has as many as it had. @param {string[]} ids of the kept fields */
async function addRows(ids) {
  for (const id of ids) {
    const button = /** @type {HTMLElement | null} */ (document.querySelector("#inspector [name=add_row]"));
    if (!inspectorField(id) && button) await press(button);
  }
}

async function restoreInspector() {
  const [place, values, isSaving, openedWith] = load(INSPECTOR) ?? [];
  if (!place?.startsWith(location.pathname)) return;
  const isShown = place === inspectorPlace();
  if (!isShown && openPlace(place)) return;
  sessionStorage.removeItem(INSPECTOR);
  if (isShown) await addRows(values.map(([id]) => id));
  OPENED_WITH.forEach((name, at) => {
    const field = isShown && stateField(name);
    if (field) field.value = openedWith[at];
  });
  const fields = values.map(([id, value, checked]) => {
    const field = isShown ? inspectorField(id) : null;
    if (field) fill(field, value);
    field?.closest("details")?.setAttribute("open", "");
    return field && Object.assign(field, { checked });
  });
  for (const field of fields) field?.dispatchEvent(new Event(isSaving ? "change" : "input", { bubbles: true }));
  const lost = values.filter(([, value], at) => value && !fields[at]).map(([, value]) => `“${value}”`);
  if (lost.length) notify(`Not saved, and its field was removed meanwhile: ${lost.join(", ")}`, "warning");
  if (isSaving) return;
  const first = fields.find((field) => field);
  first?.focus({ preventScroll: true });
  // A browser reports no change of a restored value.
  const save = () => fields.forEach((field) => field?.dispatchEvent(new Event("change", { bubbles: true })));
  first?.addEventListener("blur", save, { once: true });
  if (!lost.length) notify("Your input was restored. It has not been saved yet.", "warning");
}

// ---- The rule form and the outline ----

const NOT_RESTORED = /^(csrfmiddlewaretoken|form_token|rule|open_rule|.*_FORMS)$/;
const ROW_COUNT = "comparison-TOTAL_FORMS";

/** @returns {HTMLFormElement | null} */
const ruleForm = () => document.querySelector("#rule-form > form");

function keepDrafts() {
  const form = ruleForm();
  const rule = form?.matches("[data-typed]") ? [...new FormData(form)] : null;
  const outline = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll("#outline [data-once] :is(input:not([type=hidden]), select)")
  );
  const values = [...outline].filter(({ value }) => value).map(({ id, value }) => [id, value]);
  store(DRAFTS, [location.pathname, rule, values]);
}

async function restoreDrafts() {
  const [path, rule, outline] = load(DRAFTS) ?? [];
  if (path !== location.pathname) return;
  sessionStorage.removeItem(DRAFTS);
  for (const [id, value] of outline) {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    if (!field) continue;
    field.value = value;
    if (field.matches("input")) field.closest("details")?.setAttribute("open", "");
  }
  if (rule) await restoreRule(Object.fromEntries(rule));
}

/**
 * Open the form of a rule, add or remove rows until their number fits, and fill it in.
 * @param {Record<string, string>} values
 */
async function restoreRule(values) {
  const existing = values.rule && document.getElementById(`rule-change-${values.rule}`);
  const opener = existing || document.getElementById("new-rule");
  if (!opener) return;
  await press(opener);
  const wanted = Number(values[ROW_COUNT] ?? 0);
  for (let rows = rowCount(); rows !== wanted; rows = rowCount()) {
    const buttons = ruleForm()?.querySelectorAll(rows < wanted ? "[name=add_row]" : "[name=take_off]") ?? [];
    await press(/** @type {HTMLElement} */ (buttons[buttons.length - 1]));
    if (rowCount() === rows) break;
  }
  const fields = ruleForm()?.elements ?? {};
  for (const [name, value] of Object.entries(values)) {
    if (!NOT_RESTORED.test(name) && fields[name]) fill(fields[name], value);
  }
  fields["id"]?.dispatchEvent(new Event("input", { bubbles: true }));
  announce("Your rule was restored. It has not been saved yet.");
}

const rowCount = () =>
  Number(/** @type {HTMLInputElement | undefined} */ (ruleForm()?.elements[ROW_COUNT])?.value ?? 0);

/** Press a button and wait for the answer. @param {HTMLElement} button */
const press = (button) =>
  new Promise((resolve) => {
    const onAnswer = ({ detail }) => {
      if (detail.requestConfig?.elt !== button) return;
      document.body.removeEventListener("htmx:afterRequest", onAnswer);
      resolve(undefined);
    };
    document.body.addEventListener("htmx:afterRequest", onAnswer);
    button.click();
  });

// The editor sends its forms by htmx; every other page has forms that load a new page.
if (!document.getElementById("inspector")) keepPageForms();
