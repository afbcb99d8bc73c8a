// A form that is not saved stays where something else was clicked: it says so at its top, and only a button lets it go.
import { submit } from "../submit-gesture.js";
import { changed, sent, shown, unsaved, was } from "./inspector.js";
import { put } from "./kept-input.js"; // it is there before a sign-in is asked for
import { announce } from "../../core/notice.js";
import { errorsOf, goTo } from "../../core/form-errors.js";
import { showSheet } from "../../core/panel-sheets.js";

const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
const MOST = 3; // fields that are named

// What is saved is spoken of no longer.
new MutationObserver(() => "typed" in inspector.dataset || document.getElementById("unsaved")?.remove()).observe(
  inspector,
  { attributeFilter: ["data-typed"] },
);

// The browser asks before the page is left with what was refused, or is still being typed. What is on its way is saved,
// and
// what a sign-in is left for is kept.
addEventListener("beforeunload", (event) => {
  const stays =
    "body:not([data-kept]) [data-typed]:is(:has(:is(input, textarea, select):focus), :has(.field__error:not([hidden]), #merge > *))";
  if (inspector.matches(stays)) event.preventDefault();
});

// Where the page is left all the same, it is there again when one comes back in this tab.
addEventListener(
  "pagehide",
  () => inspector.matches("body:not([data-kept]) [data-typed]") && put(unsaved.keys(), false),
);

// Ctrl+S and Ctrl+Enter save, and Escape leads back to what is selected: it saves as the field is left.
inspector.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, isComposing, target, defaultPrevented } = event;
  const isSaving = (ctrlKey || metaKey) && /^(s|Enter)$/i.test(key);
  if (isComposing || defaultPrevented || !(isSaving || key === "Escape")) return;
  event.preventDefault();
  if (isSaving) return target.form?.requestSubmit();
  const card = document.querySelector('#canvas [aria-current="true"]') ?? document.getElementById("canvas");
  /** @type {HTMLElement} */ (card).focus({ preventScroll: true });
});

// Requests take turns: of a field that someone types in by the time that the turn has come, what it said before is
// sent, and
// the rest once it is left.
/** What a field said when it was turned to, or what was in it was sent. @type {WeakMap<Element, string>} */
const before = new WeakMap();
const heed = (field) => field && before.set(field, field.value);
for (const name of ["focusin", "change", "submit"])
  inspector.addEventListener(name, () => heed(document.activeElement), true);
// What was changed or submitted before this module was there is sent as it is.
if ([changed, sent].includes(document.activeElement?.form)) heed(document.activeElement);
/** @type {any} a field of which not all is sent */
let held = null;
document.body.addEventListener("htmx:configRequest", ({ detail: { elt, parameters } }) => {
  const field = /** @type {any} */ (document.activeElement);
  const said = before.get(field) ?? was.get(field) ?? field?.value;
  held = field?.form === elt && said !== field.value ? field : null;
  if (held) parameters[field.name] = said;
});
// It is not saved, whatever the answer says of its form.
document.body.addEventListener("htmx:beforeSend", ({ detail: { xhr } }) => held && unsaved.set(held, xhr.begun));

/**
 * Keep a form from something else that comes: what is on its way to be saved is waited for, else it is selected again.
 * @param {ParentNode} coming an inspector
 * @param {boolean} isTyping whether someone is in it still
 * @param {HTMLInputElement[]} fields that will not be saved by themselves
 */
export function keep(coming, isTyping, fields) {
  const tab = shown(coming, "select") === shown(inspector, "select") && shown(coming, "tab");
  if (!isTyping && !fields.length) return ask(coming, tab);
  document.body.dispatchEvent(new CustomEvent("baton:selected", { detail: subjectOf(inspector) }));
  if (!isTyping) say(fields, subjectOf(coming), tab);
}

/**
 * Ask again for something else, after what is on its way: selecting queues, a tab does not.
 * @param {ParentNode} coming
 * @param {string | false | undefined} tab
 */
async function ask(coming, tab) {
  await submit("select", subjectOf(coming));
  if (tab) document.getElementById(`tab-${tab}`)?.click();
}

/** What an inspector shows, by kind and key. @param {ParentNode} html */
function subjectOf(html) {
  const [kind, key = ""] = (shown(html, "select") || "pipeline").split(/:(.*)/);
  return { kind, key };
}

/**
 * Say what is not saved and what is wrong there, with ways to it, and a button that discards it and goes on to what was
 * clicked.
 * @param {HTMLInputElement[]} fields that keep their form
 * @param {import("../selection.js").Subject} coming what was clicked
 * @param {string | false | undefined} tab that was clicked, where it is of the very same
 */
function say(fields, coming, tab) {
  const { but } = /** @type {HTMLElement} */ (document.getElementById("save-state")).dataset;
  const form = document.getElementById(`field-${but?.split(" ")[0]}`)?.closest("form");
  // Of a form that was saved but for some fields, those are what is not.
  fields = fields.filter(
    (field) => field.form !== form || but?.split(" ").some((id) => id && field.closest(`#field-${id}`)),
  );
  const box = Object.assign(document.createElement("div"), { id: "unsaved", className: "merge" });
  const named = new Map(
    fields.filter((field) => !field.closest("#merge") && nameOf(field)).map((field) => [nameOf(field), field]),
  );
  const line = Object.assign(document.createElement("p"), { className: "merge__title" });
  const more = named.size - MOST;
  const ways = [...named].slice(0, MOST).map(([name, field], at) => [at ? ", " : "", wayTo(field, name)]);
  const rest = more > 0 ? `, and ${more} more. ` : ". ";
  const after = named.size ? rest : "what you typed here. ";
  line.append("Not saved: ", ...ways.flat(), after, "Save it, or discard it.");
  const wrong = errorsOf(inspector).map(({ error, field }) => {
    const [said, name] = [error.textContent ?? "", field ? nameOf(field) : ""];
    const sentence = Object.assign(document.createElement("p"), { className: "field__error" });
    sentence.append(field ? wayTo(field, said.startsWith(name) ? said : `${name}: ${said}`) : said);
    return sentence;
  });
  const buttons = Object.assign(document.createElement("div"), { className: "buttons" });
  const [save, button] = ["Save", "Discard"].map((textContent) =>
    Object.assign(document.createElement("button"), { type: "button", className: "button button--small", textContent }),
  );
  save.addEventListener("click", () => {
    goTo(fields[0]);
    for (const form of new Set(fields.map(({ form }) => form))) form?.requestSubmit();
  });
  // Without a tab it is a button that selects: the editor hears of it once what was typed is let go.
  if (!tab) Object.assign(button.dataset, { select: coming.kind, key: coming.key });
  button.addEventListener("click", () => {
    unsaved.clear();
    inspector.removeAttribute("data-typed");
    const next = () =>
      /** @type {HTMLElement | null} */ (
        tab
          ? document.getElementById(`tab-${tab}`)
          : (document.querySelector('#canvas [aria-current="true"]') ?? document.getElementById("canvas"))
      );
    if (tab) next()?.click();
    setTimeout(() => next()?.focus({ preventScroll: true }));
  });
  buttons.append(save, button);
  box.append(line, ...wrong, buttons);
  document.getElementById("unsaved")?.remove();
  document.getElementById("inspector-state")?.after(box);
  showSheet("right");
  inspector.scrollTop = 0;
  announce([line, ...wrong].map(({ textContent }) => textContent).join(" "));
}

/** A button that leads to a field. @param {HTMLElement} field @param {string} textContent */
function wayTo(field, textContent) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent });
  button.addEventListener("click", () => goTo(field));
  return button;
}

/** What the label of a field says. @param {any} field */
const nameOf = (field) =>
  (field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? "").trim().replace(/\s+/g, " ");
