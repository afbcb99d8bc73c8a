// Writing on the canvas itself: what a note says, and what a frame is called. What is typed stays until it is saved.
import { submit } from "./gestures.js";
import { announce } from "./notice.js";

/** @typedef {import("./press.js").Page} Page */

const LOST = "This was not saved. What you typed is still here.";

/** @type {{id: string, end(): void} | null} */
let open = null;

/** Write on a note, or in the title of a frame. @param {Page} page @param {string} id of its element */
export function write(page, id) {
  const { canvas, view, selection } = page;
  const element = /** @type {HTMLElement | undefined} */ (canvas.elementOf(id));
  if (!element || open?.id === id) return;
  open?.end();
  selection.set([id]);
  selection.open();

  const isNote = element.matches(".note");
  const before = element.textContent ?? "";
  const sheet = sheetOver(element, isNote, view.scale);
  const [field, error] = /** @type {[HTMLTextAreaElement | HTMLInputElement, HTMLElement]} */ (/** @type {unknown} */ ([...sheet.children]));
  field.value = before;
  let busy = false;

  const end = () => {
    if (open?.id !== id) return;
    open = null;
    sheet.remove();
  };
  const leave = () => {
    const inside = document.activeElement === field || document.activeElement === document.body;
    end();
    if (inside) canvas.elementOf(id)?.focus({ preventScroll: true });
  };

  const save = async () => {
    if (busy || open?.id !== id) return;
    if (field.value === before) return leave();
    busy = true;
    const { note = "", frame = "" } = element.dataset;
    tell("");
    const accepted = await (isNote ? submit("write-note", { note, text: field.value, was: before }) : submit("rename-frame", { frame, title: field.value, was: before }));
    busy = false;
    if (accepted) {
      leave();
      return announce(isNote ? "The note is saved" : `The frame is called ${field.value.trim()}`);
    }
    // The answer brings its own sentence, if the server had one to say about this.
    if (told().hidden) tell(LOST);
    field.setAttribute("aria-invalid", "true");
    field.focus();
  };

  const told = () => /** @type {HTMLElement} */ (sheet.querySelector("#error-writing") ?? error);
  const tell = (text) => {
    told().textContent = text;
    told().hidden = !text;
  };

  // What happens on the sheet is none of the canvas's.
  for (const name of ["pointerdown", "dblclick", "wheel", "contextmenu"]) sheet.addEventListener(name, (event) => event.stopPropagation());
  field.addEventListener("blur", save);
  field.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing } = /** @type {KeyboardEvent} */ (event);
    if (isComposing) return;
    if (key === "Escape") {
      event.stopPropagation();
      leave();
    } else if (key === "Enter" && (!isNote || ctrlKey || metaKey)) {
      event.preventDefault();
      save();
    }
  });

  open = { id, end };
  canvas.viewport.append(sheet);
  field.focus({ preventScroll: true });
  field.select();
}

/**
 * A field over what is written on, with room for a sentence above: from afar as large as it is from near by.
 * @param {HTMLElement} element
 * @param {boolean} isNote
 * @param {number} scale
 */
function sheetOver(element, isNote, scale) {
  const sheet = document.createElement("div");
  sheet.className = "writing";
  if (element.dataset.hue) sheet.dataset.hue = element.dataset.hue;
  sheet.style.transform = `${element.style.transform} scale(${Math.max(1, 1 / scale)})`;
  sheet.style.inlineSize = `${isNote ? Math.max(160, element.offsetWidth) : 240}px`;
  const field = document.createElement(isNote ? "textarea" : "input");
  field.setAttribute("aria-label", isNote ? "Text of the note" : "Title of the frame");
  field.setAttribute("aria-describedby", "error-writing");
  const error = Object.assign(document.createElement("p"), { className: "field__error", id: "error-writing", hidden: true });
  sheet.append(field, error);
  return sheet;
}
