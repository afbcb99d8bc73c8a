// The drawer with the chat of a rehearsal. It begins at the selected stage, or continues the last rehearsal.
const drawer = document.getElementById("rehearsal-drawer");
if (drawer) followTab(drawer);

/** @param {HTMLElement} drawer */
function followTab(drawer) {
  const tab = /** @type {HTMLButtonElement} */ (drawer.querySelector("[aria-expanded]"));
  const frame = /** @type {HTMLIFrameElement} */ (drawer.querySelector("iframe"));
  const form = /** @type {HTMLFormElement} */ (drawer.querySelector("form"));
  const start = /** @type {HTMLInputElement} */ (form.elements.namedItem("start_phase"));

  /** @param {boolean} isOpen */
  const show = (isOpen) => {
    frame.hidden = !isOpen;
    tab.setAttribute("aria-expanded", String(isOpen));
  };
  form.addEventListener("submit", (event) => {
    if (tab.getAttribute("aria-expanded") === "true") {
      event.preventDefault();
      show(false);
      return;
    }
    const selected = document.querySelectorAll(".stage[aria-current='true']");
    start.disabled = selected.length !== 1;
    start.value = start.disabled ? "" : (/** @type {HTMLElement} */ (selected[0]).dataset.phase ?? "");
    show(true);
  });
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || frame.hidden) return;
    event.stopPropagation();
    show(false);
  });
}
