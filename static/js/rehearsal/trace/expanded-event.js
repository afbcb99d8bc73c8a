// Enlarges the pane for an expanded event, and restores its size when none is expanded.

const MOST = 0.66; // of the window, like the button of the pane
const pane = document.getElementById("supervisor");
const list = document.getElementById("trace");

/** @param {HTMLElement} pane @param {HTMLElement} list */
function watch(pane, list) {
  const isOpen = () =>
    list.querySelector(":scope > .event > details[open]") && !document.body.hasAttribute("data-tall");
  const goBack = () => isOpen() || pane.style.removeProperty("--bottom-size");

  /** Make room for an expanded row. @param {HTMLElement} row */
  const grow = (row) => {
    const missing = row.offsetHeight - list.clientHeight;
    if (isOpen() && missing > 0)
      pane.style.setProperty(
        "--bottom-size",
        `${Math.ceil(Math.min(MOST * innerHeight, pane.offsetHeight + missing))}px`,
      );
  };

  list.addEventListener(
    "toggle",
    ({ target }) => {
      const details = /** @type {HTMLDetailsElement} */ (target);
      const row = /** @type {HTMLElement | null} */ (details.closest(".event"));
      if (details.open && row) grow(row);
      else goBack();
    },
    { capture: true },
  );
  list.addEventListener("htmx:afterSettle", ({ target }) => {
    const row = /** @type {HTMLElement | null} */ (
      /** @type {Element} */ (target).closest(".event__body")?.closest(".event")
    );
    if (row) grow(row);
    else goBack();
  });
  document.getElementById("pane-size")?.addEventListener("click", goBack);
}

if (pane && list) watch(pane, list);
