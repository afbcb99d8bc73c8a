// The palette: finds a command or a part of the pipeline by a few letters of its name.
import { can, keysOf, titleOf } from "./command.js";
import { best } from "../../core/fuzzy-match.js";
import { keyLabel } from "../../core/key-labels.js";
import { placeEntries } from "./palette-entries.js";

/** @typedef {import("./command.js").Command} Command */
/** @typedef {import("./command.js").Page} Page */
/** @typedef {{id: string, title: string, kind: string, keys: string[], run(): unknown, bonus?: number}} Entry */

const MAX_ROWS = 50; // another letter narrows the list
const RECENT = "baton:recent";
/** Verbs of the titles by other words for them: "new agent" finds "Add an agent", unless a title matches it. */
const VERBS = { new: "add", create: "add", remove: "delete" };

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
const query = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
const list = /** @type {HTMLElement} */ (dialog.querySelector("[role=listbox]"));
const status = /** @type {HTMLElement} */ (dialog.querySelector("[role=status]"));

/** @type {Entry[]} */
let entries = [];
/** @type {Entry[]} */
let shown = [];
let current = 0;

/**
 * Open the palette.
 * @param {Page} page
 * @param {Command[]} commands
 * @param {Entry[]} more entries of this page alone
 */
export function openPalette(page, commands, more) {
  if (dialog.open) return;
  entries = recentFirst([...commandEntries(page, commands), ...placeEntries(page), ...more]);
  query.value = "";
  find();
  dialog.show(); // not modal: making a thousand stages inert is slow
}

/** Close the palette, and blur its field at once: a browser would blur it with the next frame only. */
function close() {
  dialog.close();
  query.blur();
}

/** @param {Page} page @param {Command[]} commands @returns {Entry[]} */
function commandEntries(page, commands) {
  const possible = commands.filter((command) => !command.byKey && command.id !== "palette" && can(command, page));
  return possible.map((command) => ({
    id: command.id,
    title: titleOf(command, page),
    kind: command.group,
    keys: keysOf(command.id),
    bonus: keysOf(command.id).length ? 6 : 5,
    run: () => command.run(page),
  }));
}

/** Sort recently used entries to the front. @param {Entry[]} entries */
function recentFirst(entries) {
  const recent = recentIds();
  const rank = ({ id }) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return entries.sort((a, b) => rank(a) - rank(b));
}

function find() {
  let found = search(query.value);
  if (!found.length) found = search(query.value.replace(/\p{L}+/u, (verb) => VERBS[verb.toLowerCase()] ?? verb));
  shown = found.map(({ entry }) => entry);
  list.replaceChildren(...found.map(({ entry, marks }, at) => rowOf(entry, marks, at)));
  list.hidden = !shown.length;
  query.setAttribute("aria-expanded", String(shown.length > 0));
  status.textContent = shown.length
    ? `${shown.length === MAX_ROWS ? "The first " : ""}${shown.length} found`
    : `No match for “${query.value.trim()}”.`;
  status.className = shown.length ? "visually-hidden" : "empty";
  mark(0);
}

/** Return the entries with a matching title. @param {string} typed */
const search = (typed) =>
  best(
    typed,
    entries,
    ({ title }) => title,
    MAX_ROWS,
    ({ bonus = 0 }) => bonus,
  );

/** @param {Entry} entry @param {number[]} marks @param {number} at */
function rowOf({ title, kind, keys }, marks, at) {
  const row = make("li", "quick__row");
  Object.assign(row, { id: `palette-${at}`, role: "option" });
  row.dataset.at = String(at);
  const words = make("span", "quick__title");
  words.append(...marked(title, marks));
  row.append(words, make("small", "quick__kind", kind), ...keys.slice(0, 1).map(keyLabel));
  return row;
}

/** Mark the letters of a text at some positions. @param {string} text @param {number[]} marks */
function marked(text, marks) {
  const pieces = [];
  let from = 0;
  for (let at = 0; at < marks.length; at++) {
    const start = marks[at];
    while (marks[at + 1] === marks[at] + 1) at++;
    pieces.push(text.slice(from, start), make("mark", "", text.slice(start, marks[at] + 1)));
    from = marks[at] + 1;
  }
  return [...pieces, text.slice(from)];
}

/** Make a row the current one, for Enter. @param {number} at */
function mark(at) {
  list.children[current]?.setAttribute("aria-selected", "false");
  current = shown.length ? (at + shown.length) % shown.length : 0;
  const row = list.children[current];
  row?.setAttribute("aria-selected", "true");
  row?.scrollIntoView({ block: "nearest" });
  if (row) query.setAttribute("aria-activedescendant", row.id);
  else query.removeAttribute("aria-activedescendant");
}

/** @param {number} at */
function take(at) {
  const entry = shown[at];
  if (!entry) return;
  close();
  keep(entry.id);
  entry.run();
}

query.addEventListener("input", find);
// While the palette is open it keeps the focus, even if an answer of the server would move it.
document.addEventListener(
  "focusin",
  ({ target }) => dialog.open && !dialog.contains(/** @type {Node} */ (target)) && query.focus(),
);
list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
list.addEventListener("click", (event) => {
  const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-at]"));
  if (row) take(Number(row.dataset.at));
});
dialog.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, isComposing } = event;
  if (isComposing) return;
  if (key === "Tab") return dialog.close(); // the focus continues from its former place
  if (key === "ArrowDown") mark(current + 1);
  else if (key === "ArrowUp") mark(current - 1);
  else if (key === "PageDown") mark(Math.min(current + 8, shown.length - 1));
  else if (key === "PageUp") mark(Math.max(current - 8, 0));
  else if (key === "Enter") take(current);
  else if (key === "Escape") close();
  else if ((ctrlKey || metaKey) && key.toLowerCase() === "k") close();
  else return;
  event.preventDefault();
});

/** @returns {string[]} */
function recentIds() {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return []; // storage is switched off
  }
}

/** @param {string} id */
function keep(id) {
  try {
    localStorage.setItem(RECENT, JSON.stringify([id, ...recentIds().filter((other) => other !== id)].slice(0, 8)));
  } catch {
    // Without storage, recent entries are not remembered.
  }
}

/** @param {string} name @param {string} className @param {string} [text] */
const make = (name, className, text = "") =>
  Object.assign(document.createElement(name), { className, textContent: text });
