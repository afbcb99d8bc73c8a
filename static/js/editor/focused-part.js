// The part in focus: its kind, and the commands that select it by key.
import { load } from "../core/offline.js";
import { announce } from "../core/notice.js";
import { showSheet } from "../core/panel-sheets.js";
import { completeConnecting } from "./gestures/connect-stages.js";
import { attachGuard } from "./panels/inspector.js";
import { focused } from "./selection.js";

/** @typedef {import("../canvas/commands/command.js").Page} Page */

/** The phase of the one stage that a command is about; "" for anything else. @param {Page} page */
export function phaseOf({ canvas, selection }) {
  const { subject } = selection;
  return subject.length === 1 ? canvas.phaseOf(subject[0]) : "";
}

/** The id of the one edge that a command is about; "" for anything else. @param {Page} page */
export function edgeOf({ canvas, selection }) {
  const { subject } = selection;
  return subject.length === 1 && canvas.edges.has(subject[0]) ? subject[0] : "";
}

/** Report whether a command is about one note or frame. @param {Page} page */
function isAnnotation({ canvas, selection }) {
  const [id, ...others] = selection.subject;
  return !others.length && !!canvas.elementOf(id)?.matches(".note, .frame");
}

/** Report whether a command is about one part with a name or a text. @param {Page} page */
export const isRenamable = (page) => isAnnotation(page) || !!phaseOf(page);

/**
 * Select the focused part. Enter on a selected part continues to its form, on a note or frame to its text. The space
 * bar
 * selects only if it was not held to pan.
 * @param {Page} page
 * @param {unknown} _at
 * @param {KeyboardEvent} [event]
 */
export async function chooseByKey(page, _at, event) {
  const { selection, connecting } = page;
  const id = focused();
  if (event?.key === "Enter" && !connecting.source) {
    if (isAnnotation(page))
      return (await load(import("./annotations/inline-editing.js"))).write(page, selection.subject[0]);
    if (selection.ids.size === 1 && selection.ids.has(id)) return goToForm(page, id);
  }
  if (event?.key === " " && (event.repeat || (await isPanning(page)))) return;
  choose(page, false);
}

/** Add the focused part to the selection, or remove it. @param {Page} page */
export const toggleFocused = (page) => choose(page, true);

/** @param {Page} page @param {boolean} isToggled whether the rest of the selection stays */
function choose(page, isToggled) {
  const { canvas, selection, connecting } = page;
  const id = focused();
  if (connecting.source) return canvas.phaseOf(id) && completeConnecting(page, id);
  if (!id) return;
  if (!isToggled) return selection.pick(id);
  selection.toggle(id);
  announce(`${selection.ids.size} selected`);
}

/**
 * Report whether the space bar is held to pan: resolves when the bar is released or the pointer pressed.
 * @param {Page} page
 * @returns {Promise<boolean>}
 */
function isPanning({ canvas: { element } }) {
  if (element.dataset.panning !== "ready") return Promise.resolve(element.dataset.panning === "pan");
  const stop = new AbortController();
  return new Promise((resolve) => {
    for (const name of ["keyup", "pointerdown", "blur"]) {
      addEventListener(name, () => (stop.abort(), resolve(name !== "keyup")), { capture: true, signal: stop.signal });
    }
  });
}

/** Move the focus into the inspector's form of a part. @param {Page} page @param {string} id */
async function goToForm({ selection }, id) {
  await selection.inspect(selection.subjectOf(id));
  showSheet("right");
  // The guard handles Escape in the form; the frame gives a folded inspector its room.
  await Promise.all([attachGuard(), new Promise(requestAnimationFrame)]);
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector(
    "#inspector form :is(input:not([type=hidden]), textarea, select):not(:disabled)",
  );
  field?.focus();
  if (field?.matches("input")) field.select(); // typing replaces the text
}
