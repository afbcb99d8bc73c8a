// Edits notes, titles of frames and names of stages on the canvas. The field lies over the canvas, outside of all
// swaps, so
// that the text stays until it is saved.
import { load } from "../../core/offline.js";
import { cardId } from "../../canvas/canvas.js";
import { WIDTH } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";
import { ignoreBackspace } from "../backspace-guard.js";

/** @typedef {import("../../canvas/commands/command.js").Page} Page */

const LOST = "This was not saved. Your text is still here.";
const ID = "error-writing"; // id of the error message during a save: the server fills it
const EDGE = 16; // pixels to the edge of the window
const SHORT = 200; // largest number of characters of another person's text

/**
 * An editable text: its field, its present value, the gesture that saves it, and the announcement.
 * @typedef {{kind: string, field: string, label: string, valueIn(element: HTMLElement): string, save(element:
 * HTMLElement,
 * text: string, was: string): Promise<boolean>, announcement(text: string): string}} EditableText
 */

/** @type {Record<string, EditableText>} by class of the element */
const TEXTS = {
  note: {
    kind: "note",
    field: "textarea",
    label: "Text of the note",
    valueIn: ({ textContent }) => textContent ?? "",
    save: ({ dataset: { note = "" } }, text, was) => submit("write-note", { note, text, was }),
    announcement: () => "The note is saved",
  },
  frame: {
    kind: "frame",
    field: "input",
    label: "Title of the frame",
    valueIn: ({ textContent }) => textContent ?? "",
    save: ({ dataset: { frame = "" } }, title, was) => submit("rename-frame", { frame, title, was }),
    announcement: (text) => `Renamed the frame to ${text}`,
  },
  stage: {
    kind: "stage",
    field: "input",
    label: "Name of the stage",
    valueIn: ({ dataset }) => dataset.phase ?? "",
    save: ({ dataset: { phase = "" } }, name) => submit("rename-stage", { phase, name }),
    announcement: () => "", // the server makes a key of the name, and reports it
  },
};

/** Elements with an editable text. */
export const WRITTEN = Object.keys(TEXTS)
  .map((name) => `.${name}`)
  .join();

/** Open fields by id of their elements. @type {Map<string, HTMLTextAreaElement | HTMLInputElement>} */
const open = new Map();
/** Open fields with unsaved text. */
const unsaved = new Set();

addEventListener("beforeunload", (event) => unsaved.size && event.preventDefault());

/** Edit a note, the title of a frame or the name of a stage. @param {Page} page @param {string} id of its element */
export async function write(page, id) {
  const { canvas, view, selection } = page;
  const element = /** @type {HTMLElement | undefined} */ (canvas.elementOf(id));
  // the first frame is not drawn before this
  if (element?.matches(".frame")) await load(import("../../canvas/frames.js"));
  if (open.has(id)) return open.get(id)?.focus({ preventScroll: true });
  if (!element?.matches(WRITTEN)) return;
  selection.set([id]);
  selection.open();

  followRenames(page);
  const kind = Object.keys(TEXTS).find((name) => element.matches(`.${name}`)) ?? "";
  const editable = TEXTS[kind];
  const isNote = kind === "note";
  const now = (other) =>
    canvas.elementOf(id) ? editable.valueIn(/** @type {HTMLElement} */ (canvas.elementOf(id))) : other;
  let before = editable.valueIn(element);
  /** @type {string | null} */
  let refused = null;
  let busy = false;
  const { sheet, field, refusal } = sheetOver(element, editable, view.scale, canvas.framing?.boxOf(id));
  field.value = before;

  // A text that could not be sent is saved once the server is reached again.
  const again = () => void (refused !== null && save(true));
  document.body.addEventListener("baton:online", again);

  const leave = () => {
    document.body.removeEventListener("baton:online", again);
    const inside = sheet.contains(document.activeElement) || document.activeElement === document.body;
    open.delete(id);
    unsaved.delete(id);
    sheet.remove();
    if (inside) canvas.elementOf(id)?.focus({ preventScroll: true });
  };

  /** Save the text, unless the same text was rejected already. @param {boolean} [isForced] even so */
  const save = async (isForced = false) => {
    if (busy || !open.has(id) || (field.value === refused && !isForced)) return;
    if (field.value === before) return leave();
    busy = true;
    const said = refusal.tell("");
    said.id = ID;
    const text = field.value;
    field.readOnly = kind === "stage"; // until the new name is there
    const accepted = await editable.save(element, text, before);
    busy = field.readOnly = false;
    if (accepted && field.value === text) {
      leave();
      const word = editable.announcement(text.trim());
      return word ? announce(word) : undefined;
    }
    if (accepted) {
      before = now(text); // typing continued during the save
      return document.activeElement === field ? undefined : save();
    }
    refused = text;
    refusal.tell(refusal.said().textContent || LOST, now(before) === before ? null : now(before));
    field.setAttribute("aria-invalid", "true");
  };

  refusal.onDecision({
    discard: leave,
    saveMine() {
      before = now(before);
      field.focus({ preventScroll: true });
      save(true);
    },
  });

  // Events in the field must not reach the canvas.
  for (const name of ["pointerdown", "dblclick", "wheel", "contextmenu"])
    sheet.addEventListener(name, (event) => event.stopPropagation());
  field.addEventListener("blur", () => save());
  field.addEventListener("input", () => {
    const isTyped = field.toggleAttribute("data-typed", field.value !== before);
    if (isTyped) unsaved.add(id);
    else unsaved.delete(id);
  });
  field.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing } = /** @type {KeyboardEvent} */ (event);
    if (isComposing) return;
    if (key === "Escape") {
      event.stopPropagation();
      ignoreBackspace(field);
      if (kind === "stage" || (!isNote && !field.value.trim()))
        leave(); // it keeps its present name
      else if (field.value === refused)
        refusal.focusDiscard(); // only its author discards a text
      else save();
    } else if (key === "Enter" && (!isNote || ctrlKey || metaKey)) {
      event.preventDefault();
      save();
    } else if (key === "z" && (ctrlKey || metaKey) && field.value === before) {
      event.preventDefault(); // nothing is typed that could be undone, so the last edit is undone
      leave();
      page.give("undo");
    }
  });

  open.set(id, field);
  canvas.viewport.append(sheet);
  bringIntoView(view, sheet);
  field.focus({ preventScroll: true });
  field.select();
}

let isFollowing = false;

/** A renamed stage has a new element: it becomes selected if the old one was. @param {Page} page */
function followRenames({ canvas, selection }) {
  if (isFollowing) return;
  isFollowing = true;
  const rename = (/** @type {{was: string, now: string}} */ { was, now }) => {
    const [old, id] = [cardId(was), cardId(now)];
    if ([...selection.ids, ...selection.gone].includes(old)) selection.set([...selection.ids, id]);
    if (document.activeElement === document.body) canvas.elementOf(id)?.focus({ preventScroll: true });
    announce(`Renamed the stage to ${now}`);
  };
  // The event comes before the fragments are in the page.
  document.body.addEventListener("baton:renamed", (event) =>
    setTimeout(() => rename(/** @type {CustomEvent} */ (event).detail)),
  );
}

/** Report whether the focus is in the outline: it stays there, and texts are edited in the inspector. */
export const isOutlining = () => !!document.activeElement?.closest("#outline");

/**
 * Edit the next new part of a kind: the server reports it, and the field opens for typing.
 * @param {Page} page
 * @param {string} kind
 * @param {Promise<boolean>} coming
 */
export async function editNext(page, kind, coming) {
  const key = await nextOf(kind, coming);
  if (key && !isOutlining()) await write(page, `${kind}-${key}`);
  return !!key;
}

/** Rename the next new stage: typing replaces its default name. @param {Page} page @param {Promise<boolean>} coming */
export const renameNext = (page, coming) => editNext(page, "stage", coming);

/**
 * The key of the next new part of a kind, once it is selected; "" if it is not created.
 * @param {string} kind
 * @param {Promise<boolean>} coming
 */
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
 * Create a field over an element, with room for an error message. At a small scale it has its normal size.
 * @param {HTMLElement} element
 * @param {EditableText} editable
 * @param {number} scale
 * @param {import("../../canvas/geometry.js").Box | null} [box] of a frame
 */
function sheetOver(element, editable, scale, box) {
  const sheet = make("div", editable === TEXTS.stage ? "writing writing--stage" : "writing");
  if (element.dataset.hue) sheet.dataset.hue = element.dataset.hue;
  const place = box ? `translate(${box.x}px, ${box.y}px)` : element.style.transform;
  sheet.style.transform = `${place} scale(${Math.max(1, 1 / scale)})`;
  const widths = { note: Math.max(160, element.offsetWidth), stage: WIDTH - 8, frame: 240 };
  sheet.style.inlineSize = `${widths[editable.kind]}px`;
  const field = /** @type {HTMLTextAreaElement | HTMLInputElement} */ (make(editable.field));
  field.setAttribute("aria-label", editable.label);
  const refusal = refusalOf(`${ID}-${element.id}`);
  field.setAttribute("aria-describedby", `${ID}-${element.id}`);
  sheet.append(field, refusal.element);
  return { sheet, field, refusal };
}

/**
 * Pan as little as possible until the field is visible.
 * @param {import("../../canvas/view.js").View} view
 * @param {HTMLElement} sheet
 */
function bringIntoView(view, sheet) {
  view.measure();
  const { width, height } = view.free;
  const [x, y] = [view.window.x + view.free.x, view.window.y + view.free.y];
  const { left, top, right, bottom } = sheet.getBoundingClientRect();
  const dx = Math.max(x + EDGE - left, Math.min(0, x + width - EDGE - right));
  const dy = Math.max(y + EDGE - top, Math.min(0, y + height - EDGE - bottom));
  if (dx || dy) view.pan(dx, dy);
}

/** The error message of a field, with the buttons that save or discard the text. @param {string} id of the message */
function refusalOf(id) {
  const element = make("div", "writing__refusal");
  const [now, buttons] = [make("p", "writing__now"), make("div", "buttons")];
  const [saveMine, discard] = ["Save mine", "Discard mine"].map((text) =>
    Object.assign(make("button", "button button--small", text), { type: "button" }),
  );
  buttons.append(saveMine, discard);
  element.append(Object.assign(make("p", "field__error"), { id }), now, buttons);
  element.hidden = true;
  const said = () => /** @type {HTMLElement} */ (element.firstElementChild);
  return {
    element,
    said, // the server may have replaced the element
    /** @param {string} text @param {string | null} [theirs] the present text of another person */
    tell(text, theirs = null) {
      Object.assign(said(), { id, textContent: text, hidden: !text });
      now.textContent = theirs === null ? "" : `It now says: ${quoted(theirs)}`;
      saveMine.hidden = now.hidden = theirs === null;
      element.hidden = !text;
      return said();
    },
    focusDiscard: () => discard.focus(),
    /** @param {{saveMine(): void, discard(): void}} decisions */
    onDecision(decisions) {
      saveMine.addEventListener("click", decisions.saveMine);
      discard.addEventListener("click", decisions.discard);
    },
  };
}

/** Quote the beginning of a text. @param {string} text */
function quoted(text) {
  if (!text) return "nothing";
  return text.length > SHORT ? `“${text.slice(0, SHORT)}…”` : `“${text}”`;
}

/** @param {string} name @param {string} [className] @param {string} [text] */
const make = (name, className = "", text = "") =>
  Object.assign(document.createElement(name), { className, textContent: text });
