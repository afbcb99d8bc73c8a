// On a narrow screen panels are sheets: the bar at the bottom opens one at a time.

/** Show a panel, or with "" only the canvas. @param {string} name */
export function showSheet(name) {
  document.body.dataset.sheet = name;
  for (const button of document.querySelectorAll(".sheets button")) {
    button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.sheet === name));
  }
}

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".sheets button"))) {
  const name = button.dataset.sheet ?? "";
  if (name && !document.querySelector(`.workbench > .${name}`)) button.hidden = true;
  button.addEventListener("click", () => {
    showSheet(document.body.dataset.sheet === name ? "" : name);
    document.dispatchEvent(new CustomEvent("baton:sheet"));
  });
}
