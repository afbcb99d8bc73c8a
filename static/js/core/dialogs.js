// Opens and closes dialogs: data-dialog="id" opens one, data-close inside it closes it, data-open has it open at once.

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const opener = /** @type {HTMLElement | null} */ (target.closest("[data-dialog]"));
  if (opener) {
    leaveMenu(opener);
    return open(document.getElementById(opener.dataset.dialog ?? ""));
  }
  const file = target.closest("details.menu a[download]");
  if (file) return leaveMenu(file); // the page stays
  // The second press of a double click that opened a dialog is not for what lies under it.
  if (target.closest("[data-close]") || (target.matches("dialog") && event.detail < 2))
    target.closest("dialog")?.close();
  closeMenus(target);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leaveMenu(/** @type {Element} */ (event.target));
});

// A dialog whose answer took what had the focus (the button that was pressed) keeps it: on its first field.
document.body.addEventListener("htmx:afterSettle", () => {
  const field = /** @type {HTMLElement | null} */ (document.querySelector("dialog:modal input:not([type=hidden])"));
  if (document.activeElement === document.body) field?.focus();
});

// What a dialog asked for is done: the server says so.
document.body.addEventListener("baton:done", () => document.querySelector("dialog[open]")?.close());

for (const dialog of document.querySelectorAll("dialog[data-open]")) open(dialog);

/** @param {Element | null} dialog */
function open(dialog) {
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  dialog.showModal();
  dialog.querySelector("[name=name]")?.select();
}

/**
 * Close the menu that an element is in; the focus goes to its head, and comes back there from a dialog.
 * @param {Element} element
 */
function leaveMenu(element) {
  const menu = element.closest?.("details.menu[open]");
  if (!menu) return;
  menu.querySelector("summary")?.focus();
  menu.removeAttribute("open");
}

/** A menu stays open only while one is in it. @param {Element} target */
function closeMenus(target) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(target)) menu.removeAttribute("open");
  }
}
