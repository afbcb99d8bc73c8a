// The keyboard: the key bindings of the commands. A shortcut does nothing while a field has the focus; Tab is never
// used.
import { load, refusedOffline } from "../../core/offline.js";
import { isField } from "../pointer.js";

/** @typedef {import("./command.js").Page} Page */

/**
 * Keys of the commands of both pages, by command, separated by spaces. `Mod` is Ctrl or ⌘. A character typed with Shift
 * stands for itself (`?`), a letter with Shift is `Shift+l`. Keys with an event of their own (copy, cut, paste) are
 * listed as `event:Mod+c`: they are shown to people and handled by a listener of that event.
 */
export const PAGE_KEYS = {
  "zoom-fit": "1",
  "zoom-actual": "0",
  "zoom-in": "+ =",
  "zoom-out": "-",
  minimap: "m",
  "fold-left": "Mod+b",
  palette: "Mod+k",
  shortcuts: "?",
};

export const EDITOR_KEYS = {
  undo: "Mod+z",
  redo: "Mod+Shift+z Mod+y",
  "save-version": "Mod+s",
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
  "zoom-selection": "2",
  "fold-right": "Mod+i",
  "fold-bottom": "Mod+j",
  "fold-all": "Mod+\\",
  find: "Mod+f",
  replace: "Mod+h",
  menu: "Shift+F10 event:ContextMenu",
  ...PAGE_KEYS,
};

/** Commands that open a field: keys typed before it is there are kept for it. */
const OPENING_FIELDS = ["palette", "find", "replace", "frame", "add", "add-note", "write"];

/** Keep pressed keys until a field has opened, and type them into it. @param {Promise<unknown>} opening */
export async function typeAhead(opening) {
  /** @type {string[]} */
  const keys = [];
  /** Keep a key in its order, even if the field is there already. @param {KeyboardEvent} event */
  const keep = (event) => {
    if (isModified(event) || !/^(.|Enter|Escape|Backspace|Delete|Arrow.+)$/.test(event.key)) return;
    keys.push(event.key);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", keep, true);
  const [typing] = await Promise.allSettled([load(import("./typed-keys.js")), opening]);
  removeEventListener("keydown", keep, true);
  if (typing.status === "fulfilled") typing.value.type(keys);
}

/**
 * Add the commands of a page: they load with the first use.
 * @param {Page} page
 * @param {() => Promise<any>} importList imports the module that lists the commands
 */
export function offerCommands(page, importList) {
  /** @type {ReturnType<Page["commands"]> | undefined} */
  let loaded;
  page.commands = () =>
    (loaded ??= importList().catch((error) => {
      loaded = undefined; // the next command tries again
      refusedOffline();
      throw error;
    }));
  page.give = (id, at, event) => {
    const given = page.commands().then((list) => list.run(id, page, at, /** @type {any} */ (event)));
    if (OPENING_FIELDS.includes(id)) typeAhead(given);
    return given;
  };
}

/**
 * Run commands by key and by the buttons that name one. Keys with Ctrl or ⌘ work on the whole page; other keys need the
 * focus on the canvas or on nothing.
 * @param {Page} page
 * @param {Record<string, string>} keys of the commands of this page
 * @param {(id: string) => boolean} [isAllowed] whether a key may give the command now
 */
export function listen(page, keys, isAllowed = () => true) {
  const commands = new Map(Object.entries(keys).flatMap(([id, names]) => names.split(" ").map((name) => [name, id])));
  addEventListener("focusin", () => page.commands().catch(() => {}), { once: true }); // a key is likely to follow
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-command]"));
    if (button) page.give(button.dataset.command ?? "", undefined, event);
  });
  document.addEventListener("keydown", (event) => {
    const id = commands.get(nameOf(event));
    if (!id || event.defaultPrevented || isField(event.target) || !isAllowed(id)) return;
    if (!isModified(event) && !isOnCanvas(event, page)) return;
    event.preventDefault();
    page.give(id, undefined, event);
  });
  dispatchEvent(new Event("baton:listening")); // early-input.js waits for it
}

/**
 * The name of a key in KEYS. On a layout without Latin letters, a letter is named after its place.
 * @param {KeyboardEvent} event
 */
function nameOf(event) {
  const { key, code, altKey, shiftKey } = event;
  const letter = /^[^ -~]$/.test(key) ? code.replace("Key", "") : key;
  const name = key === " " ? "Space" : letter.length > 1 ? letter : letter.toLowerCase();
  const shift = shiftKey && /[a-z]/i.test(name) ? "Shift+" : "";
  return `${isModified(event) ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shift}${name}`;
}

/** @param {KeyboardEvent} event */
const isModified = ({ ctrlKey, metaKey }) => ctrlKey || metaKey;

/** @param {KeyboardEvent} event @param {Page} page */
function isOnCanvas({ target }, { canvas }) {
  const element = /** @type {Element} */ (target);
  if (element === document.body) return !document.querySelector(":modal");
  return canvas.element.contains(element) && !element.closest("button:not(.port), a");
}
