// Where something that had the focus goes (a problem that was mended, the form of a rule that is saved), the focus
// lands
// beside it in the bottom panel, and not at the top of the page: on the first control that is left around it or, where
// that says so with `data-lands`, on another.
const panel = /** @type {HTMLElement} */ (document.getElementById("bottom-panel"));
const CONTROL = ":is(button, a[href], input, select, textarea):not(:disabled, [type=hidden])";

/**
 * What has the focus, and the ids of what it stands in, from within.
 * @type {{element: Element, ids: string[]} | null}
 */
let last = null;

/** @param {Element | null} element that has the focus now */
function note(element) {
  if (!element || !panel.contains(element)) return void (last = null);
  const ids = [];
  for (let around = element.parentElement; around && around !== panel; around = around.parentElement)
    if (around.id) ids.push(around.id);
  last = { element, ids };
}

document.addEventListener("focusin", ({ target }) => note(/** @type {Element} */ (target)));
note(document.activeElement);

document.body.addEventListener("htmx:afterRequest", () => {
  if (!last || last.element.isConnected || document.activeElement !== document.body) return;
  const around = last.ids.map((id) => document.getElementById(id)).filter((one) => one !== null);
  const fields = around.flatMap((one) => [
    ...one.querySelectorAll(CONTROL),
    document.getElementById(one.dataset.lands ?? ""),
  ]);
  const field = fields.find((one) => one?.checkVisibility()) ?? panel.querySelector('.tab[aria-current="true"]');
  /** @type {HTMLElement | null} */ (field)?.focus({ preventScroll: true });
});
