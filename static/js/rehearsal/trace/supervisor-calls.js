// Folds the events of each call of the supervisor under its first row, which then shows the outcome. While a filter is
// set, all matches are visible.
import { isFiltered } from "./event-filter.js";

/** The rows of each call in the page, by its id. @param {Element} pane @returns {Map<string, HTMLElement[]>} */
function calls(pane) {
  const rows = /** @type {HTMLElement[]} */ ([...pane.querySelectorAll(":scope > [data-call]")]);
  /** @type {Map<string, HTMLElement[]>} */
  const found = new Map();
  for (const row of rows) found.set(callOf(row), [...(found.get(callOf(row)) ?? []), row]);
  return found;
}

/** The id of the call of a row. @param {HTMLElement} row */
const callOf = (row) => row.dataset.call ?? "";

/** The fold button of a call, if its first row is in the page. @param {HTMLElement[]} rows */
function foldButton(rows) {
  const head = rows.find((row) => row.dataset.callPart === "head");
  return /** @type {HTMLButtonElement | null} */ (head?.querySelector(".event__fold") ?? null);
}

/** Show or hide the rows of a call, and its outcome in the first row. @param {HTMLElement[]} rows */
function arrange(rows) {
  const button = foldButton(rows);
  const isFolded = button?.getAttribute("aria-expanded") === "false" && !isFiltered();
  const others = rows.filter((row) => row.dataset.callPart !== "head");
  for (const row of others) row.toggleAttribute("data-folded", isFolded);
  if (!button) return;
  button.hidden = !others.length || isFiltered();
  const count = `${others.length} event${others.length === 1 ? "" : "s"}`;
  button.setAttribute("aria-label", `${count} of this call`);
  /** @type {HTMLElement} */ (button.firstElementChild).textContent = count;
  const outcome = rows.find((row) => row.dataset.callPart === "end")?.querySelector(".event__detail")?.textContent;
  const detail = button.closest(".event")?.querySelector(".event__detail");
  if (outcome && detail) detail.textContent = outcome.trim().replace(/\s+/g, " ");
}

/**
 * The first row of the call in which a row is folded, else the row itself.
 * @param {HTMLElement | null} row
 * @param {{opens?: boolean}} [how] whether the rows of the call are shown instead
 */
export function visibleRow(row, { opens = false } = {}) {
  if (!row?.parentElement || !row.hasAttribute("data-folded")) return row;
  const rows = calls(row.parentElement).get(callOf(row)) ?? [];
  if (!opens) return rows[0];
  foldButton(rows)?.setAttribute("aria-expanded", "true");
  arrange(rows);
  return row;
}

/** Fold the calls in a trace, and those that are added to it. @param {HTMLElement} pane */
export function foldCalls(pane) {
  pane.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest(".event__fold");
    const head = /** @type {HTMLElement | null} */ (button?.closest(".event") ?? null);
    if (!button || !head) return;
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
    arrange(calls(pane).get(callOf(head)) ?? []);
  });
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]);
    const changed = new Set(added.map((node) => (node instanceof HTMLElement ? callOf(node) : "")));
    changed.delete("");
    if (!changed.size) return;
    for (const [call, rows] of calls(pane)) if (changed.has(call)) arrange(rows);
  }).observe(pane, { childList: true });
  for (const rows of calls(pane).values()) arrange(rows);
}
