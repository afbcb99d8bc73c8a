// Keeps the focus in the bottom panel when the focused element is removed or hidden, by the server or by the page, such
// as a fixed problem or a saved rule form. The focus moves to the next remaining control around it, or to the one named
// by `data-focus-next`.
const panel = /** @type {HTMLElement} */ (document.getElementById("bottom-panel"));
const CONTROL = ":is(button, a[href], input, select, textarea):not(:disabled, [type=hidden])";

/**
 * The focused element, and the ids of its ancestors, from inside out.
 * @type {{element: Element, ids: string[]} | null}
 */
let last = null;

/** @param {Element | null} element with the focus */
function note(element) {
  if (!element || !panel.contains(element)) return void (last = null);
  const ids = [];
  for (let around = element.parentElement; around && around !== panel; around = around.parentElement)
    if (around.id) ids.push(around.id);
  last = { element, ids };
}

document.addEventListener("focusin", ({ target }) => note(/** @type {Element} */ (target)));
note(document.activeElement);

/** Move the focus if it was lost. */
function keepFocus() {
  if (!last) return;
  const { element } = last;
  const isLost = !element.isConnected || element.closest("[hidden]") !== null;
  if (!isLost || ![document.body, element].includes(/** @type {HTMLElement} */ (document.activeElement))) return;
  const around = last.ids.map((id) => document.getElementById(id)).filter((one) => one !== null);
  const fields = around.flatMap((one) => [
    ...one.querySelectorAll(CONTROL),
    document.getElementById(one.dataset.focusNext ?? ""),
  ]);
  const field = fields.find((one) => one?.checkVisibility()) ?? panel.querySelector('.tab[aria-current="true"]');
  /** @type {HTMLElement | null} */ (field)?.focus({ preventScroll: true });
}

new MutationObserver(keepFocus).observe(panel, { childList: true, subtree: true, attributeFilter: ["hidden"] });
