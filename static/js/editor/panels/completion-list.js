// A list of completions at the caret of a text field: shown while typing, chosen with keys or the pointer.
import { announce } from "../../core/notice.js";

/**
 * @typedef {object} Source
 * @property {(target: EventTarget | null) => target is HTMLTextAreaElement} has whether a field is completed
 * @property {(field: HTMLTextAreaElement) => HTMLElement} listOf the element with the options of a field
 * @property {(field: HTMLTextAreaElement, options: HTMLElement[], isRequested: boolean) => Match | null} match
 */
/**
 * The options that continue the typed text, and the part of it that a completion replaces.
 * @typedef {{shown: HTMLElement[], typed: string}} Match
 */

/**
 * Complete the fields of a source.
 * @param {Source} source
 * @returns {(field: HTMLTextAreaElement, isRequested: boolean) => void} shows the completions at the caret
 */
export function attachCompletions({ has, listOf, match }) {
  /** The field being completed, its list, and the text that a completion replaces. */
  let open = /** @type {{field: HTMLTextAreaElement, list: HTMLElement, typed: string} | null} */ (null);

  document.addEventListener("input", ({ target }) => has(target) && offer(target, false));
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("focusout", close);
  document.addEventListener(
    "scroll",
    ({ target }) => open && target !== open.list && follow(open.field, open.list, target),
    true,
  );
  document.addEventListener("pointerdown", (event) => {
    const option = /** @type {Element} */ (event.target).closest(".completions [role=option]");
    if (!option || !open?.list.contains(option)) return;
    event.preventDefault(); // the focus stays in the field
    accept(/** @type {HTMLElement} */ (option));
  });

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!has(event.target) || event.isComposing) return; // an input method uses the same keys
    if (event.key === " " && event.ctrlKey) offer(event.target, true);
    else if (!open) return;
    else if (event.key === "Tab")
      return close(); // the list can be scrolled, so it would get the focus
    else if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Enter") accept(chosen());
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Show the completions at the caret.
   * @param {HTMLTextAreaElement} field
   * @param {boolean} isRequested show them also without typed text
   */
  function offer(field, isRequested) {
    const list = listOf(field);
    const options = /** @type {HTMLElement[]} */ ([...list.children]);
    const { shown, typed } = match(field, options, isRequested) ?? { shown: [], typed: "" };
    for (const option of options) option.hidden = !shown.includes(option);
    if (!shown.length) return close();
    open = { field, list, typed };
    for (const [name, value] of [
      ["aria-autocomplete", "list"],
      ["aria-haspopup", "listbox"],
      ["aria-controls", list.id],
    ])
      field.setAttribute(name, value);
    if (!list.matches(":popover-open")) list.showPopover();
    place(field, list);
    mark(shown[0]);
    announce(`${shown.length} ${shown.length === 1 ? "completion" : "completions"}`);
  }

  /**
   * Keep the list below the caret when something scrolls; close it when the caret leaves the visible part.
   * @param {HTMLTextAreaElement} field
   * @param {HTMLElement} list
   * @param {EventTarget | null} target
   */
  function follow(field, list, target) {
    const { top, bottom } = place(field, list);
    const seen =
      target instanceof Element && target.contains(field)
        ? target.getBoundingClientRect()
        : { top: 0, bottom: innerHeight };
    if (bottom > seen.bottom + 1 || top < seen.top - 1) close();
  }

  const chosen = () => /** @type {HTMLElement} */ (open?.list.querySelector('[aria-selected="true"]'));

  /** @param {number} step */
  function choose(step) {
    const shown = [...(open?.list.children ?? [])].filter((option) => !(/** @type {HTMLElement} */ (option).hidden));
    const next = (shown.indexOf(chosen()) + step + shown.length) % shown.length;
    mark(/** @type {HTMLElement} */ (shown[next]));
  }

  /** @param {HTMLElement} option */
  function mark(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    open?.field.setAttribute("aria-activedescendant", option.id);
  }

  /** Insert an option in place of the typed text. @param {HTMLElement} option */
  function accept(option) {
    const { field, typed } = /** @type {NonNullable<typeof open>} */ (open);
    const [before, after = ""] = (option.dataset.insert ?? "").split("|");
    const end = field.selectionStart;
    close();
    field.setRangeText(before + after, end - typed.length, end, "end");
    field.selectionStart = field.selectionEnd -= after.length;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function close() {
    if (!open) return;
    open.field.removeAttribute("aria-activedescendant");
    if (open.list.isConnected) open.list.hidePopover();
    chosen()?.setAttribute("aria-selected", "false");
    open = null;
  }

  // Text typed before this module was loaded is completed now.
  const typed = document.activeElement;
  if (has(typed) && typed.value !== typed.defaultValue) offer(typed, false);
  return offer;
}

/**
 * Place the list below the caret.
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} list
 * @returns {{top: number, bottom: number}} of the caret in the window
 */
function place(field, list) {
  const mirror = document.createElement("div");
  const style = getComputedStyle(field);
  for (const name of ["font", "padding", "border", "boxSizing", "letterSpacing", "lineHeight"])
    mirror.style[name] = style[name];
  Object.assign(mirror.style, {
    position: "fixed",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    width: `${field.offsetWidth}px`,
  });
  const caret = document.createElement("span");
  caret.textContent = "\u200b";
  mirror.append(field.value.slice(0, field.selectionStart), caret);
  document.body.append(mirror);
  const [x, y, high] = [caret.offsetLeft, caret.offsetTop - field.scrollTop, caret.offsetHeight];
  mirror.remove();
  const at = field.getBoundingClientRect();
  const [top, below] = [at.top + y, at.top + y + high + 4];
  const fits = below + list.offsetHeight < innerHeight;
  list.style.left = `${Math.max(8, Math.min(at.left + x, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${fits ? below : Math.max(8, top - list.offsetHeight - 4)}px`;
  return { top, bottom: top + high };
}
