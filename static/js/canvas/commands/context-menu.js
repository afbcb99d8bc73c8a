// The context menu: the commands for the part under the pointer.
import { GROUPS, can, keysOf, titleOf } from "./command.js";
import { keyLabel } from "../../core/key-labels.js";

/** @typedef {import("./command.js").Page} Page */
/** @typedef {import("./command.js").Command} Command */

const PARTS = ["stage", "supervisor", "edge", "note", "frame"];
const MAX_PLAIN = 12; // a longer menu has headings
const PAUSE = 700; // milliseconds without a letter before a new word

/** @type {(() => void) | null} */
let close = null;

/**
 * Open the menu at the pointer. The part under the pointer is selected first, unless it is selected already.
 * @param {Page} page
 * @param {Command[]} all
 * @param {MouseEvent} event
 */
export function openMenu(page, all, event) {
  close?.();
  const { canvas, selection, view } = page;
  const part = /** @type {HTMLElement | null} */ (
    /** @type {Element} */ (event.target).closest(PARTS.map((name) => `.${name}`).join())
  );
  view.measure();
  const at = view.at(event);
  if (part && canvas.elementOf(part.id) && !selection.ids.has(part.id)) {
    selection.set([part.id]);
    selection.open();
  }
  (part ?? canvas.element).focus({ preventScroll: true });
  const several = part && selection.ids.size > 1;
  const kind = several ? "several" : (PARTS.find((name) => part?.classList.contains(name)) ?? "blank");
  const commands = all.filter((command) => command.menu?.split(" ").includes(kind) && can(command, page));
  if (commands.length) show(page, commands, several ? `${selection.ids.size} selected` : labelOf(part), event, at);
}

/** @param {Element | null} part */
const labelOf = (part) => part?.getAttribute("aria-label")?.split(",")[0] || "Canvas";

/**
 * @param {Page} page
 * @param {Command[]} commands
 * @param {string} label
 * @param {MouseEvent} event
 * @param {import("../geometry.js").Point} at
 */
function show(page, commands, label, event, at) {
  const back = /** @type {HTMLElement} */ (document.activeElement);
  const menu = document.createElement("div");
  menu.className = "context-menu";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", label);
  menu.toggleAttribute("data-long", commands.length > MAX_PLAIN);
  for (const name of GROUPS) {
    const items = commands
      .filter(({ group }) => group === name)
      .map((command) => itemOf(command, page, () => take(command)));
    if (items.length) menu.append(groupOf(name, items));
  }
  page.canvas.element.after(menu);
  place(menu, event);
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role=menuitem]")]);
  const listening = new AbortController();
  items[0].focus({ preventScroll: true });
  typed = "";

  /** @param {Command} command */
  function take(command) {
    leave();
    command.run(page, at);
  }

  function leave() {
    const inside = menu.contains(document.activeElement);
    close = null;
    listening.abort();
    menu.remove();
    if (inside && back.isConnected) back.focus({ preventScroll: true });
  }
  close = leave;

  const { signal } = listening;
  // wherever the focus is
  addEventListener("keydown", (key) => walk(key, items, leave), { signal, capture: true });
  menu.addEventListener("pointerover", (over) =>
    /** @type {HTMLElement | null} */ (/** @type {Element} */ (over.target).closest("[role=menuitem]"))?.focus({
      preventScroll: true,
    }),
  );
  menu.addEventListener("contextmenu", (again) => again.preventDefault());
  ignoreLiftedFinger(menu, signal);
  addEventListener("pointerdown", ({ target }) => menu.contains(/** @type {Node} */ (target)) || leave(), {
    signal,
    capture: true,
  });
  for (const name of ["blur", "resize"]) addEventListener(name, leave, { signal });
  addEventListener("wheel", leave, { signal, passive: true });
}

/**
 * Ignore a click whose press began outside of the menu: the lifted finger that opened it. A click by key has no press.
 * @param {HTMLElement} menu
 * @param {AbortSignal} signal
 */
function ignoreLiftedFinger(menu, signal) {
  let isPressed = false;
  menu.addEventListener("pointerdown", () => (isPressed = true), { signal });
  const onClick = (event) => event.detail && !isPressed && event.stopPropagation();
  menu.addEventListener("click", onClick, { signal, capture: true });
}

/** The items of one group; a long menu shows its name. @param {string} name @param {HTMLElement[]} items */
function groupOf(name, items) {
  const group = document.createElement("div");
  Object.assign(group, { role: "group", ariaLabel: name });
  const head = Object.assign(document.createElement("small"), { textContent: name, ariaHidden: "true" });
  group.append(head, ...items);
  return group;
}

/** @param {Command} command @param {Page} page @param {() => void} take */
function itemOf(command, page, take) {
  const item = document.createElement("button");
  Object.assign(item, { type: "button", tabIndex: -1, role: "menuitem" });
  item.append(
    Object.assign(document.createElement("span"), { textContent: titleOf(command, page) }),
    ...keysOf(command.id).slice(0, 1).map(keyLabel),
  );
  item.addEventListener("click", take);
  return item;
}

/** Place the menu at the pointer, inside the window. @param {HTMLElement} menu @param {MouseEvent} event */
function place(menu, { clientX, clientY }) {
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(clientX, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(clientY, innerHeight - height - 8))}px`;
}

let typed = "";
let typedAt = 0;

/** Handle a key of the menu. @param {KeyboardEvent} event @param {HTMLElement[]} items @param {() => void} leave */
function walk(event, items, leave) {
  const { key, ctrlKey, metaKey, altKey } = event;
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  event.stopPropagation();
  if (to !== undefined) items.at(to % items.length)?.focus();
  else if (key === "Escape" || key === "Tab") leave();
  else if (key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey) named(key, items, at)?.focus();
  else return;
  event.preventDefault();
}

/**
 * The next item whose name begins with the typed letters.
 * @param {string} letter
 * @param {HTMLElement[]} items
 * @param {number} at
 */
function named(letter, items, at) {
  const now = performance.now();
  typed = (now - typedAt > PAUSE ? "" : typed) + letter.toLowerCase();
  typedAt = now;
  const from = typed.length === 1 ? at + 1 : at;
  const inTurn = [...items.slice(from), ...items.slice(0, from)];
  return inTurn.find((item) => item.textContent?.toLowerCase().startsWith(typed));
}
