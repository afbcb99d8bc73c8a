// The palette: every command that can be given, and every place of the pipeline, by a few letters of its name.
import { COMMANDS, can, keysOf, titleOf } from "./commands.js";
import { best } from "../../core/fuzzy-match.js";
import { keycaps } from "../../core/key-labels.js";
import { agentCommands, placesOf } from "./palette-entries.js";

/** @typedef {import("./commands.js").Page} Page */
/** @typedef {{id: string, title: string, kind: string, keys: string[], run(): unknown, bonus?: number}} Entry */

const MOST = 50; // rows that are drawn: who wants others types another letter
const RECENT = "baton:recent";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
const query = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
const list = /** @type {HTMLElement} */ (dialog.querySelector("[role=listbox]"));
const status = /** @type {HTMLElement} */ (dialog.querySelector("[role=status]"));

/** @type {Entry[]} */
let entries = [];
/** @type {Entry[]} those that are drawn */
let shown = [];
let current = 0;

/** Open the palette, with what can be done now. @param {Page} page */
export function openPalette(page) {
  if (dialog.open) return;
  entries = inOrder([...commandsOf(page), ...placesOf(page), ...agentCommands(page)]);
  query.value = "";
  find();
  dialog.show(); // not as a modal one: to make a thousand stages inert takes longer than to find one of them
}

/**
 * Close it. Where nothing had the focus before, nothing has it now: a browser would see to that with the next frame
 * only.
 */
function close() {
  dialog.close();
  query.blur();
}

/** @param {Page} page @returns {Entry[]} */
function commandsOf(page) {
  const given = COMMANDS.filter((command) => !command.byKey && command.id !== "palette" && can(command, page));
  return given.map((command) => ({
    id: command.id,
    title: titleOf(command, page),
    kind: command.group,
    keys: keysOf(command.id),
    bonus: keysOf(command.id).length ? 6 : 5,
    run: () => command.run(page),
  }));
}

/** What was used last comes first. @param {Entry[]} entries */
function inOrder(entries) {
  const recent = recentIds();
  const rank = ({ id }) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return entries.sort((a, b) => rank(a) - rank(b));
}

function find() {
  const found = best(
    query.value,
    entries,
    ({ title }) => title,
    MOST,
    ({ bonus = 0 }) => bonus,
  );
  shown = found.map(({ entry }) => entry);
  list.replaceChildren(...found.map(({ entry, marks }, at) => rowOf(entry, marks, at)));
  list.hidden = !shown.length;
  query.setAttribute("aria-expanded", String(shown.length > 0));
  status.textContent = shown.length
    ? `${shown.length === MOST ? "The first " : ""}${shown.length} found`
    : `Nothing here is called “${query.value.trim()}”.`;
  status.className = shown.length ? "visually-hidden" : "empty";
  mark(0);
}

/** @param {Entry} entry @param {number[]} marks @param {number} at */
function rowOf({ title, kind, keys }, marks, at) {
  const row = make("li", "quick__row");
  Object.assign(row, { id: `palette-${at}`, role: "option" });
  row.dataset.at = String(at);
  const words = make("span", "quick__title");
  words.append(...marked(title, marks));
  row.append(words, make("small", "quick__kind", kind), ...keys.slice(0, 1).map(keycaps));
  return row;
}

/** A text whose letters at some places are marked. @param {string} text @param {number[]} marks */
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

/** Make a row the one that Enter takes. @param {number} at */
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
// While it is open, what is typed is meant for it: an answer that comes and would have the focus elsewhere does not get
// it.
document.addEventListener(
  "focusin",
  ({ target }) => dialog.open && !dialog.contains(/** @type {Node} */ (target)) && query.focus(),
);
list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where one types
list.addEventListener("click", (event) => {
  const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-at]"));
  if (row) take(Number(row.dataset.at));
});
dialog.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, isComposing } = event;
  if (isComposing) return;
  if (key === "Tab") return dialog.close(); // and on from where one was
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
    // What was used last is then not known.
  }
}

/** @param {string} name @param {string} className @param {string} [text] */
const make = (name, className, text = "") =>
  Object.assign(document.createElement(name), { className, textContent: text });
