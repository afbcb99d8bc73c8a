// The keyboard: which key is which command, and nothing more. What a command does is in commands.js, which is loaded
// when
// the first of them is given. No shortcut fires while a field has the focus, and Tab is never taken.
import { isField } from "../pointer.js";

/**
 * The keys of the commands, by the id of the command; several are parted by blanks. `Mod` is Ctrl or ⌘. A sign that is
 * typed with Shift stands for itself (`?`), a letter with Shift is `Shift+l`. What the browser tells as an event of its
 * own (copy, cut, paste) is listed as `event:Mod+c`: it is shown, and left to whoever listens to that event.
 */
export const KEYS = {
  undo: "Mod+z",
  redo: "Mod+Shift+z Mod+y",
  add: "a /",
  "add-note": "n",
  connect: "c",
  insert: "i",
  splice: "Shift+i",
  "move-end": "e",
  "move-start": "Shift+e",
  copy: "event:Mod+c",
  cut: "event:Mod+x",
  paste: "event:Mod+v",
  duplicate: "Mod+d",
  delete: "Delete Backspace",
  bypass: "Mod+Delete Mod+Backspace",
  write: "F2",
  frame: "Mod+g",
  unframe: "Mod+Shift+g",
  choose: "Enter Space",
  toggle: "Shift+Enter Shift+Space",
  "select-all": "Mod+a",
  leave: "Escape",
  nudge: "ArrowLeft ArrowRight ArrowUp ArrowDown Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown",
  tidy: "Shift+l",
  walk: "Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown",
  "zoom-fit": "1",
  "zoom-selection": "2",
  "zoom-actual": "0",
  "zoom-in": "+ =",
  "zoom-out": "-",
  minimap: "m",
  "fold-left": "Mod+b",
  "fold-right": "Mod+i",
  "fold-bottom": "Mod+j",
  "fold-all": "Mod+\\",
  "break-point": "b",
  "moment-back": "[",
  "moment-on": "]",
  pause: "p",
  step: "s",
  "go-on": "g",
  note: "t",
  "hand-over": "h",
  "take-over": "o",
  end: "x",
  palette: "Mod+k",
  find: "Mod+f",
  replace: "Mod+h",
  menu: "Shift+F10 event:ContextMenu",
  shortcuts: "?",
};

const FIELDS = ["palette", "find", "replace", "frame", "add", "add-note", "write"]; // commands one goes on typing after
const COMMANDS = new Map(Object.entries(KEYS).flatMap(([id, keys]) => keys.split(" ").map((key) => [key, id])));

/**
 * Give commands by key. Those with Ctrl or ⌘ are the page's; the others need the focus on the canvas, or nowhere.
 * @param {import("./commands.js").Page} page
 * @param {(id: string) => boolean} [has] which commands the page has
 */
export function listen(page, has = () => true) {
  addEventListener("focusin", () => load().catch(() => {}), { once: true }); // a key is likely to follow
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-command]"));
    if (button) give(button.dataset.command ?? "", page, undefined, event);
  });
  document.addEventListener("keydown", (event) => {
    if (
      ahead &&
      !event.defaultPrevented &&
      !isModified(event) &&
      /^(.|Enter|Escape|Backspace|Delete|Arrow.+)$/.test(event.key)
    ) {
      ahead.push(event.key);
      event.preventDefault();
      return;
    }
    const id = COMMANDS.get(strokeOf(event));
    if (
      !id ||
      event.defaultPrevented ||
      isField(event.target) ||
      !has(id) ||
      !(isModified(event) || isOnCanvas(event, page))
    )
      return;
    event.preventDefault();
    const given = give(id, page, undefined, event);
    if (FIELDS.includes(id)) typeAhead(given);
  });
  dispatchEvent(new Event("baton:listening")); // early-input.js
}

/**
 * Copying, cutting and pasting: what the browser tells, and no key.
 * @param {import("../../editor/gestures/gesture-start.js").Page} page
 */
export function hearClipboard(page) {
  const { element } = page.canvas;
  /** @type {PointerEvent | null} */
  let pointer = null;
  element.addEventListener("pointermove", (event) => (pointer = event));
  element.addEventListener("pointerleave", () => (pointer = null));

  for (const name of ["copy", "cut", "paste"]) {
    document.addEventListener(name, async (event) => {
      if (isField(event.target) || (name !== "paste" && `${getSelection()}`)) return;
      // Both are gone once the module is there.
      const text = /** @type {ClipboardEvent} */ (event).clipboardData?.getData("text");
      const at = pointer ? page.view.at(pointer) : undefined;
      (await import("../../editor/clipboard.js"))[name](page, text, at);
    });
  }
}

/** @type {string[] | null} what was typed for a field that is not there yet */
let ahead = null;

/** Keep what is typed until a command has opened its field, and write it there. @param {Promise<unknown>} given */
export async function typeAhead(given) {
  const keys = (ahead = []);
  const [{ value }] = await Promise.allSettled([import("../../core/typed-ahead.js"), given]);
  ahead = null;
  value?.write(keys);
}

/**
 * Give a command.
 * @param {string} id
 * @param {import("./commands.js").Page} page
 * @param {import("../geometry.js").Point} [at] where on the canvas, if the command came from a place
 * @param {KeyboardEvent | MouseEvent} [event] the key or the click it came from
 */
export async function give(id, page, at, event) {
  return (await load()).run(id, page, at, event);
}

/**
 * The table, asked for once: what came while it was on its way is given in the order in which it came. Lost, it is
 * asked for again.
 */
const load = () =>
  (table ??= import("./commands.js").catch((error) => {
    table = undefined;
    throw error;
  }));

/** @type {Promise<typeof import("./commands.js")> | undefined} */
let table;

/**
 * How a key is called in the table. A letter goes by its place where the layout has other letters there.
 * @param {KeyboardEvent} event
 */
function strokeOf(event) {
  const { key, code, altKey, shiftKey } = event;
  const name =
    key === " "
      ? "Space"
      : /^[^ -~]$/.test(key)
        ? code.replace("Key", "").toLowerCase()
        : key.length > 1
          ? key
          : key.toLowerCase();
  return `${isModified(event) ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shiftKey && /[a-z]/i.test(name) ? "Shift+" : ""}${name}`;
}

/** @param {KeyboardEvent} event */
const isModified = ({ ctrlKey, metaKey }) => ctrlKey || metaKey;

/** @param {KeyboardEvent} event @param {import("./commands.js").Page} page */
function isOnCanvas({ target }, { canvas }) {
  const element = /** @type {Element} */ (target);
  return (
    (element === document.body && !document.querySelector(":modal")) ||
    (canvas.element.contains(element) && !element.closest("button:not(.port), a"))
  );
}
