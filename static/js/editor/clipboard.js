// The clipboard. Copied parts are a definition, which the server writes and reads; the page only carries the text.
import { centred } from "./gestures/add-stage.js";
import { submit } from "./submit-gesture.js";
import { isField } from "../canvas/pointer.js";
import { announce, notify } from "../core/notice.js";

/** @typedef {import("../canvas/geometry.js").Point} Point */
/** @typedef {import("../canvas/commands/command.js").Page} Page */

const MOST = 2 * 1024 * 1024; // characters: the largest file that the server accepts

/** Report whether there is anything to copy. @param {Page} page */
export const canCopy = (page) => picked(page).count > 0;

/** Copy the selection to the clipboard as JSON. @param {Page} page */
export async function copy(page) {
  if (await write(page)) announce("Copied");
}

/** Copy the selection to the clipboard, then delete it. @param {Page} page */
export async function cut(page) {
  const { fields } = picked(page);
  if (!(await write(page)) || !(await submit("cut", fields))) return;
  announce("Cut");
  if (!isField(document.activeElement)) page.canvas.element.focus({ preventScroll: true });
}

/**
 * Paste the clipboard: around a point or, without one, at the original place.
 * @param {Page} page
 * @param {string | undefined} text from the browser's event; without it, the clipboard is read
 * @param {Point} [at]
 */
export async function paste(page, text, at) {
  const pasted = text ?? (await read());
  if (pasted === null) return;
  if (pasted.length > MOST) return notify("The clipboard is larger than 2 MiB, the limit of a pipeline.");
  const { x, y } = at ? centred(at) : { x: "", y: "" };
  if (await submit("paste", { text: pasted, x, y })) select(page);
}

/** Duplicate the selection beside itself. @param {Page} page */
export async function duplicate(page) {
  if (await submit("duplicate", picked(page).fields)) select(page);
}

/** The parts that a command is about, as form fields. @param {Page} page */
function picked({ canvas, selection }) {
  const ids = selection.subject;
  const stages = ids.map((id) => canvas.cards.get(id)?.element.dataset.phase).filter(Boolean);
  const keys = (kind) =>
    ids.map((id) => /** @type {HTMLElement} */ (canvas.elementOf(id))?.dataset[kind]).filter(Boolean);
  const [notes, frames] = [keys("note"), keys("frame")];
  const fields = { stages: JSON.stringify(stages), notes: JSON.stringify(notes), frames: JSON.stringify(frames) };
  return { fields, count: stages.length + notes.length + frames.length };
}

/** Write the selection to the clipboard. @param {Page} page @returns {Promise<boolean>} */
async function write(page) {
  const { fields, count } = picked(page);
  if (!count) {
    if (page.selection.subject.length)
      notify("Only stages, notes and frames can be copied: select one of them.", "warning");
    return false;
  }
  return put(submit("copy", fields));
}

/**
 * Write the text from the server to the clipboard. A browser allows this only shortly after a key press, so it gets a
 * promise of the text.
 * @param {Promise<boolean>} sent whether the server has accepted the request
 * @returns {Promise<boolean>}
 */
export async function put(sent) {
  let refused = false;
  const text = sent.then((accepted) => {
    refused = !accepted;
    if (refused) throw new Error("The server rejected the request.");
    const copied = /** @type {HTMLElement} */ (document.getElementById("copied"));
    const blob = new Blob([copied.textContent ?? ""], { type: "text/plain" });
    copied.textContent = "";
    return blob;
  });
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
    return true;
  } catch {
    if (!refused) notify("The browser blocked the clipboard. Allow it for this page, and try again.");
    return false;
  }
}

/** Read the clipboard if the person allows it, otherwise return null. */
async function read() {
  try {
    return await navigator.clipboard.readText();
  } catch {
    notify("The browser does not let this page read the clipboard: press Ctrl+V or ⌘V on the canvas.", "warning");
    return null;
  }
}

/** Select the pasted parts. @param {Page} page */
function select({ canvas, selection, bringIntoView }) {
  const pasted = /** @type {HTMLElement} */ (document.getElementById("pasted"));
  const ids = (pasted.dataset.ids ?? "").split(" ");
  selection.set(ids);
  for (const id of [ids[ids.length - 1], ids[0]]) bringIntoView(id);
  canvas.elementOf(ids[0])?.focus({ preventScroll: true });
  announce(pasted.textContent ?? "");
}
