// Marks values that are not among the suggestions of their field, and offers the most similar ones.
import { similarNames } from "../../core/similar-names.js";

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */
/** @typedef {{value: string, label: string}} Suggestion */

const FIELDS = "[data-unknown]";
const REFRESH_AFTER = 3000; // ms; the suggestions follow the edits of other people

document.addEventListener("input", ({ target }) => isChecked(target) && check(target, true));
document.addEventListener("change", ({ target }) => isChecked(target) && check(target, false));
document.addEventListener("focusin", ({ target }) => isChecked(target) && refresh(target));
document.body.addEventListener("htmx:afterSettle", checkAll);

/** A button of a mark replaces the value. The focus stays in the field, which would be saved when it is left. */
document.addEventListener("pointerdown", (event) => buttonAt(event) && event.preventDefault());
document.addEventListener("click", (event) => {
  const button = buttonAt(event);
  const field = button && /** @type {Field | null} */ (document.getElementById(button.dataset.for ?? ""));
  if (!button || !field) return;
  field.value = replaceValue(field.value, button.dataset.was ?? "", button.dataset.use ?? "");
  field.focus();
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
});

/** @param {Event} event @returns {HTMLElement | null} */
const buttonAt = ({ target }) => /** @type {Element} */ (target).closest(".field__unknown button");

/** @param {EventTarget | null} target @returns {target is Field} */
function isChecked(target) {
  return target instanceof Element && target.matches(FIELDS);
}

/** Check all fields again; the focused one may not be complete. */
function checkAll() {
  for (const field of document.querySelectorAll(FIELDS))
    if (isChecked(field)) check(field, field === document.activeElement);
}

/** @param {Field} field */
const listOf = (field) => document.getElementById(field.getAttribute("list") ?? field.dataset.list ?? "");

/**
 * The suggestions of a field. An option without a text is labelled by its value.
 * @param {Field} field
 * @returns {Suggestion[] | null} null: there is no list
 */
export function suggestionsOf(field) {
  const list = listOf(field);
  const options = [...(list?.querySelectorAll("option") ?? [])];
  return list && options.map(({ value, label }) => ({ value, label: label || value }));
}

/** Load the suggestions again. @param {Field} field */
function refresh(field) {
  const list = listOf(field);
  if (!list?.hasAttribute("hx-get") || performance.now() - Number(list.dataset.at ?? -REFRESH_AFTER) < REFRESH_AFTER)
    return;
  list.dataset.at = String(performance.now());
  htmx.trigger(list, "baton:refresh");
}

/**
 * Mark the unknown values of a field. During input, a value that may still become a known one is not marked.
 * @param {Field} field
 * @param {boolean} isTyping
 */
function check(field, isTyping) {
  const suggestions = suggestionsOf(field);
  if (!suggestions) return;
  const place = field.closest(".field");
  const unknown = unknownValues(field.value, suggestions, field.matches("textarea"), isTyping);
  const isSoft = "soft" in field.dataset;
  const lines = unknown.flatMap((value) => {
    const similar = similarTo(value, suggestions);
    return isSoft && !similar.length ? [] : [lineFor(field, value, similar)];
  });
  const id = `unknown-${field.id}`;
  let mark = document.getElementById(id);
  if (!mark && !lines.length) return;
  if (!mark) {
    mark = Object.assign(document.createElement("div"), { id, className: "field__unknown", role: "status" });
    place?.append(mark);
  }
  const texts = lines.map(({ textContent }) => textContent).join(" ");
  if (mark.textContent !== texts) mark.replaceChildren(...lines);
  field.toggleAttribute("data-doubtful", lines.length > 0);
}

/**
 * The values that are neither a suggestion nor the label of one.
 * @param {string} text
 * @param {Suggestion[]} suggestions
 * @param {boolean} isList one value per line, or between commas
 * @param {boolean} isTyping leave out beginnings of known values
 * @returns {string[]}
 */
export function unknownValues(text, suggestions, isList, isTyping) {
  const known = suggestions.flatMap(({ value, label }) => [plain(value), plain(label)]);
  const values = (isList ? text.split(/[\n,]/) : [text]).map((value) => value.trim()).filter(Boolean);
  const isKnown = (value) => known.some((name) => (isTyping ? name.startsWith(plain(value)) : name === plain(value)));
  return values.filter((value) => !isKnown(value));
}

/**
 * The suggestions with a value or label similar to a text.
 * @param {string} text
 * @param {Suggestion[]} suggestions
 * @returns {Suggestion[]}
 */
export function similarTo(text, suggestions) {
  const byName = new Map(suggestions.flatMap((one) => [one.value, one.label].map((name) => [name, one])));
  const similar = similarNames(text, [...byName.keys()]).map((name) => byName.get(name));
  return [...new Set(similar)].flatMap((one) => one ?? []);
}

/** A text in the form in which it is compared: a key is written `my-stage`. @param {string} text */
const plain = (text) => text.trim().toLowerCase().replace(/\s+/g, "-");

/**
 * Replace a value of a list, or the only value.
 * @param {string} text
 * @param {string} was
 * @param {string} value
 */
export function replaceValue(text, was, value) {
  return text
    .split(/([\n,])/)
    .map((part) => (part.trim() === was ? part.replace(was, () => value) : part))
    .join("");
}

/** @param {Field} field @param {string} value @param {Suggestion[]} similar */
function lineFor(field, value, similar) {
  const line = document.createElement("p");
  line.append(`${field.dataset.unknown} “${value}”.`);
  similar.forEach((one, at) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: one.label });
    Object.assign(button.dataset, { for: field.id, was: value, use: one.value });
    line.append(at ? " or " : " Did you mean ", button);
  });
  if (similar.length) line.append("?");
  return line;
}

checkAll(); // of fields that were here before this module
