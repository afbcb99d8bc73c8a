// The list of conversations: the selection and its bar, and the key of the search field.

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-selection]"));
const all = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-select-all]"));

/** The checkboxes of the rows. @returns {HTMLInputElement[]} */
const boxes = () => [...(form?.querySelectorAll("[name=conversation]") ?? [])];

/**
 * Report whether an action is possible for the selected rows: two of one pipeline to compare, only own ones to delete.
 * @param {string} need @param {{dataset: DOMStringMap}[]} selected
 */
export function isPossible(need, selected) {
  if (need === "own") return selected.every((box) => box.dataset.notOwn === undefined);
  return selected.length === 2 && selected[0].dataset.pipeline === selected[1].dataset.pipeline;
}

/** Show the number of selected rows, and disable the impossible actions. */
function show() {
  const rows = boxes();
  const selected = rows.filter((box) => box.checked);
  if (all) {
    all.checked = selected.length > 0 && selected.length === rows.length;
    all.indeterminate = selected.length > 0 && !all.checked;
  }
  for (const output of form?.querySelectorAll("[data-selected]") ?? []) {
    output.textContent = `${selected.length} selected`;
  }
  for (const button of form?.querySelectorAll("[data-needs]") ?? []) {
    button.toggleAttribute("disabled", !isPossible(button.dataset.needs ?? "", selected));
  }
}

/** @param {boolean} checked */
function select(checked) {
  for (const box of boxes()) box.checked = checked;
  show();
}

form?.addEventListener("change", ({ target }) => {
  if (target === all) select(Boolean(all?.checked));
  else show();
});

document.addEventListener("click", ({ target }) => {
  if (!(/** @type {Element} */ (target).closest?.("[data-select-none]"))) return;
  select(false);
  all?.focus();
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.key === "Enter" && target.matches?.("[data-selection] [type=checkbox]")) event.preventDefault();
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches?.("select, textarea, input:not([type=checkbox])")) return;
  event.preventDefault();
  /** @type {HTMLElement | null} */ (document.querySelector("[data-filter] [type=search]"))?.focus();
});

addEventListener("pageshow", show);
