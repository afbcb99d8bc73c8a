// Writing on the canvas itself: what a note says, and what a frame is called. What is typed stays until it is saved.
import { submit } from "./gestures.js";
import { announce } from "./notice.js";

/** @typedef {import("./press.js").Page} Page */

const LOST = "This was not saved. What you typed is still here.";
const ID = "error-writing"; // of the sentence about what is being saved: the server fills it
const EDGE = 16; // pixels to the edge of the window
const SHORT = 200; // letters of what someone else wrote

/** The fields that are open, by the id of what is written on. @type {Map<string, HTMLTextAreaElement | HTMLInputElement>} */
const open = new Map();
/** Those of them that say something else than what is kept. */
const unsaved = new Set();

addEventListener("beforeunload", (event) => unsaved.size && event.preventDefault());

/** Write on a note, or in the title of a frame. @param {Page} page @param {string} id of its element */
export async function write(page, id) {
  const { canvas, view, selection } = page;
  const element = /** @type {HTMLElement | undefined} */ (canvas.elementOf(id));
  if (element?.matches(".frame")) await import("./frames.js"); // the first frame is not drawn before
  if (open.has(id)) return open.get(id)?.focus({ preventScroll: true });
  if (!element) return;
  selection.set([id]);
  selection.open();

  const isNote = element.matches(".note");
  let before = element.textContent ?? "";
  /** @type {string | null} */
  let refused = null;
  let busy = false;
  const { sheet, field, refusal } = sheetOver(element, isNote, view.scale, canvas.framing?.boxOf(id));
  field.value = before;

  const leave = () => {
    const inside = sheet.contains(document.activeElement) || document.activeElement === document.body;
    open.delete(id);
    unsaved.delete(id);
    sheet.remove();
    if (inside) canvas.elementOf(id)?.focus({ preventScroll: true });
  };

  /** Save it, unless the very same was refused already. @param {boolean} [again] even so */
  const save = async (again = false) => {
    if (busy || !open.has(id) || (field.value === refused && !again)) return;
    if (field.value === before) return leave();
    busy = true;
    const { note = "", frame = "" } = element.dataset;
    const said = refusal.tell("");
    said.id = ID;
    const text = field.value;
    const accepted = await (isNote ? submit("write-note", { note, text, was: before }) : submit("rename-frame", { frame, title: text, was: before }));
    busy = false;
    if (accepted && field.value === text) {
      leave();
      return announce(isNote ? "The note is saved" : `The frame is called ${text.trim()}`);
    }
    if (accepted) {
      before = canvas.elementOf(id)?.textContent ?? text; // and someone typed on
      return document.activeElement === field ? undefined : save();
    }
    refused = text;
    const now = canvas.elementOf(id)?.textContent ?? before;
    refusal.tell(refusal.said().textContent || LOST, now === before ? null : now);
    field.setAttribute("aria-invalid", "true");
  };

  refusal.offer({
    discard: leave,
    insist() {
      before = canvas.elementOf(id)?.textContent ?? before;
      field.focus({ preventScroll: true });
      save(true);
    },
  });

  // What happens on the sheet is none of the canvas's.
  for (const name of ["pointerdown", "dblclick", "wheel", "contextmenu"]) sheet.addEventListener(name, (event) => event.stopPropagation());
  field.addEventListener("blur", () => save());
  field.addEventListener("input", () => (field.value === before ? unsaved.delete(id) : unsaved.add(id)));
  field.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing } = /** @type {KeyboardEvent} */ (event);
    if (isComposing) return;
    if (key === "Escape") {
      event.stopPropagation();
      if (!isNote && !field.value.trim()) leave(); // no title is none: it keeps the one it has
      else save();
    } else if (key === "Enter" && (!isNote || ctrlKey || metaKey)) {
      event.preventDefault();
      save();
    }
  });

  open.set(id, field);
  canvas.viewport.append(sheet);
  bringIntoView(view, sheet);
  field.focus({ preventScroll: true });
  field.select();
}

/** Whether someone works in the outline: they stay there, and write in the inspector. */
export const isOutlining = () => !!document.activeElement?.closest("#outline");

/** Write on what comes next of a kind: the server says that it is there, and the field is ready for what is typed. @param {Page} page @param {string} kind @param {Promise<boolean>} coming */
export async function writeOnNext(page, kind, coming) {
  const key = await nextOf(kind, coming);
  if (key && !isOutlining()) await write(page, `${kind}-${key}`);
  return !!key;
}

/** The key of what comes next of a kind, once it is selected; "" if it does not come. @param {string} kind @param {Promise<boolean>} coming */
export async function nextOf(kind, coming) {
  const heard = new AbortController();
  const named = new Promise((resolve) => {
    const hear = ({ detail }) => detail.kind === kind && setTimeout(() => resolve(detail.key)); // after it is selected
    document.body.addEventListener("baton:selected", /** @type {any} */ (hear), { signal: heard.signal });
  });
  const key = (await coming) ? String(await named) : "";
  heard.abort();
  return key;
}

/**
 * A field over what is written on, with room for a refusal above: from afar as large as it is from near by.
 * @param {HTMLElement} element
 * @param {boolean} isNote
 * @param {number} scale
 * @param {import("./geometry.js").Box | null} [box] where a frame is
 */
function sheetOver(element, isNote, scale, box) {
  const sheet = make("div", "writing");
  if (element.dataset.hue) sheet.dataset.hue = element.dataset.hue;
  sheet.style.transform = `${box ? `translate(${box.x}px, ${box.y}px)` : element.style.transform} scale(${Math.max(1, 1 / scale)})`;
  sheet.style.inlineSize = `${isNote ? Math.max(160, element.offsetWidth) : 240}px`;
  const field = /** @type {HTMLTextAreaElement | HTMLInputElement} */ (make(isNote ? "textarea" : "input"));
  field.setAttribute("aria-label", isNote ? "Text of the note" : "Title of the frame");
  const refusal = refusalOf(`${ID}-${element.id}`);
  field.setAttribute("aria-describedby", `${ID}-${element.id}`);
  sheet.append(field, refusal.element);
  return { sheet, field, refusal };
}

/** Pan just so far that what one writes on can be seen from its head on. @param {import("./view.js").View} view @param {HTMLElement} sheet */
function bringIntoView(view, sheet) {
  view.measure();
  const { x, y, width, height } = view.window;
  const { left, top, right, bottom } = sheet.getBoundingClientRect();
  const dx = Math.max(x + EDGE - left, Math.min(0, x + width - EDGE - right));
  const dy = Math.max(y + EDGE - top, Math.min(0, y + height - EDGE - bottom));
  if (dx || dy) view.pan(dx, dy);
}

/** Why something is not saved, and what one can do about it. @param {string} id of the sentence */
function refusalOf(id) {
  const element = make("div", "writing__refusal");
  const [now, buttons] = [make("p", "writing__now"), make("div", "buttons")];
  const [insist, discard] = ["Save mine", "Discard mine"].map((text) => Object.assign(make("button", "button button--small", text), { type: "button" }));
  buttons.append(insist, discard);
  element.append(Object.assign(make("p", "field__error"), { id }), now, buttons);
  element.hidden = true;
  const said = () => /** @type {HTMLElement} */ (element.firstElementChild);
  return {
    element,
    said, // the server may have put another in its place
    /** @param {string} text @param {string | null} [theirs] what someone else wrote meanwhile */
    tell(text, theirs = null) {
      Object.assign(said(), { id, textContent: text, hidden: !text });
      now.textContent = theirs === null ? "" : `It now says: ${theirs ? `“${theirs.slice(0, SHORT)}${theirs.length > SHORT ? "…" : ""}”` : "nothing"}`;
      insist.hidden = now.hidden = theirs === null;
      element.hidden = !text;
      return said();
    },
    /** @param {{insist(): void, discard(): void}} ways */
    offer(ways) {
      insist.addEventListener("click", ways.insist);
      discard.addEventListener("click", ways.discard);
    },
  };
}

/** @param {string} name @param {string} [className] @param {string} [text] */
const make = (name, className = "", text = "") => Object.assign(document.createElement(name), { className, textContent: text });
