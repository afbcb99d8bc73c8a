// Dialogs and menus: data-dialog="id" opens a dialog, data-close inside closes it, data-open opens it with the page.
import { load } from "./offline.js";

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const opener = /** @type {HTMLElement | null} */ (target.closest("[data-dialog]"));
  if (opener) {
    leaveMenu(opener);
    return open(document.getElementById(opener.dataset.dialog ?? ""));
  }
  const file = target.closest("details.menu a:is([download], [data-file])");
  if (file) return leaveMenu(file); // a download leaves the page open
  // The second click of a double click that opened a dialog must not close it.
  if (target.closest("[data-close]") || (target.matches("dialog") && event.detail < 2))
    target.closest("dialog")?.close();
  closeMenus(target);
});

// A menu that opens below the window is scrolled into it.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target instanceof Element && target.matches("details.menu[open]"))
      target.lastElementChild?.scrollIntoView({ block: "nearest" });
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leaveMenu(/** @type {Element} */ (event.target));
});

// If an answer has removed the focused element of a dialog, its first field gets the focus.
document.body.addEventListener("htmx:afterSettle", () => {
  const field = /** @type {HTMLElement | null} */ (document.querySelector("dialog:modal input:not([type=hidden])"));
  if (document.activeElement === document.body) field?.focus();
});

// The server reports that the work of a dialog is done.
document.body.addEventListener("baton:done", () => document.querySelector("dialog[open]")?.close());

for (const dialog of document.querySelectorAll("dialog[data-open]")) open(dialog);

/** @param {Element | null} dialog */
function open(dialog) {
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  dialog.showModal();
  // The second click of a double click leaves the focus where it is.
  dialog.addEventListener("mousedown", (event) => event.detail > 1 && event.preventDefault(), { once: true });
  if (dialog.matches(".merge-difference")) load(import("../versions/difference.js")).then(({ open }) => open());
  dialog.querySelector("[name=name]")?.select();
}

/**
 * Close the menu around an element; the focus goes to its summary, and returns there from a dialog.
 * @param {Element} element
 */
function leaveMenu(element) {
  const menu = element.closest?.("details.menu[open]");
  if (!menu) return;
  menu.querySelector("summary")?.focus();
  menu.removeAttribute("open");
}

/** Close the menus that do not contain an element. @param {Element} target */
function closeMenus(target) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(target)) menu.removeAttribute("open");
  }
}
