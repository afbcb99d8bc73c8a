// Completes expressions at the caret from the list beside their field.
import { announce } from "../../core/notice.js";

const PATH = /[A-Za-z_][\w.]*$/;
const TEXTUAL = { text: "text", "text or null": "text", object: "object" };

/** The field being completed, its list, and the text that a completion replaces. */
let open = /** @type {{field: HTMLTextAreaElement, list: HTMLElement, typed: string} | null} */ (null);

document.addEventListener("input", ({ target }) => isExpression(target) && offer(target, false));
document.addEventListener("keydown", onKey, true);
document.addEventListener("focusout", close);
document.addEventListener(
  "scroll",
  ({ target }) => open && target !== open.list && follow(open.field, open.list, target),
  true,
);
document.addEventListener("pointerdown", (event) => {
  const option = /** @type {Element} */ (event.target).closest(".completions [role=option]");
  if (!option || !open) return;
  event.preventDefault(); // the focus stays in the field
  accept(/** @type {HTMLElement} */ (option));
});

/** @param {EventTarget | null} target @returns {target is HTMLTextAreaElement} */
function isExpression(target) {
  return target instanceof HTMLTextAreaElement && !!target.closest(".expression");
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (!isExpression(event.target)) return;
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
 * @param {boolean} asked show them also without typed text
 */
function offer(field, asked) {
  const before = field.value.slice(0, field.selectionStart);
  const path = PATH.exec(before)?.[0] ?? "";
  const list = /** @type {HTMLElement} */ (field.nextElementSibling);
  const options = /** @type {HTMLElement[]} */ ([...list.children]);
  const fits = isInText(before) || (!path && !asked) ? () => false : fitting(path, options);
  for (const option of options) option.hidden = !fits(option.dataset);
  const shown = options.filter((option) => !option.hidden);
  if (!shown.length) return close();
  const [dataset] = shown.map((option) => option.dataset);
  open = { field, list, typed: dataset.of ? path.slice(path.lastIndexOf(".") + 1) : path };
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

/** Return a test for options that continue the typed text. @param {string} path @param {HTMLElement[]} options */
function fitting(path, options) {
  const dot = path.lastIndexOf(".");
  const [owner, rest] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
  const kinds = options
    .filter(({ dataset }) => !dataset.of && dataset.name === owner)
    .map(({ dataset }) => dataset.kind ?? "");
  const free = options.some(({ dataset }) => dataset.kind === "object" && owner.startsWith(`${dataset.name}.`));
  const methods = (of) => (free ? dot > 0 : kinds.some((kind) => TEXTUAL[kind] === of));
  return ({ name = "", of = "" }) =>
    of ? dot > 0 && methods(of) && name.startsWith(rest) : name.startsWith(path) && name !== path;
}

/** Whether a quote is open. @param {string} before */
function isInText(before) {
  const rest = before.replace(/\\./g, "").replace(/'[^']*'|"[^"]*"/g, "");
  return /['"]/.test(rest);
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

/**
 * Place the list below the caret.
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} list returns the top and bottom of the caret in the window
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
if (isExpression(typed) && typed.value !== typed.defaultValue) offer(typed, false);
