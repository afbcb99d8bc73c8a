// Palette entries for the parts of a pipeline: stages, frames, notes, agents and tools.

import { goTo as showCards } from "../go-to.js";

/** @typedef {import("./command.js").Page} Page */
/** @typedef {import("./palette.js").Entry} Entry */

/** @param {Page} page @returns {Entry[]} */
export function placeEntries(page) {
  const { canvas } = page;
  canvas.complete();
  const stages = canvas.stages.map(([id, { element }]) => {
    const agent = element.querySelector(".stage__agent")?.textContent ?? "";
    return placeEntry(id, `${element.dataset.phase} · ${agent}`, "Stage", () => goTo(page, element.id), 1);
  });
  const drawn = (selector, kind) =>
    [...canvas.element.querySelectorAll(selector)].map((element) =>
      placeEntry(element.id, shortLabel(element), kind, () => goTo(page, element.id)),
    );
  return [
    ...stages,
    ...drawn(".frame", "Frame"),
    ...drawn(".note", "Note"),
    ...listEntries(page, "agent", "Agent"),
    ...listEntries(page, "tool", "Tool"),
  ];
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} kind
 * @param {() => unknown} run
 * @param {number} [bonus]
 * @returns {Entry}
 */
export const placeEntry = (id, title, kind, run, bonus = 0) => ({ id, title, kind, keys: [], run, bonus });

/** The name in an item of the left panel, without the number of its stages. @param {Element} link */
export const titleIn = (link) => (link.querySelector("span")?.firstChild ?? link).textContent?.trim() ?? "";

/** Entries for the items of the left panel. @param {Page} page @param {string} kind @param {string} name */
function listEntries(page, kind, name) {
  const links = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`.left [data-select="${kind}"]`));
  return [...links].map((link) => {
    const { key = "" } = link.dataset;
    const subject = { kind: /** @type {any} */ (kind), key };
    return placeEntry(`${kind}:${key}`, titleIn(link), name, () => page.choose(subject));
  });
}

/** @param {Element} element */
function shortLabel(element) {
  const label = (element.getAttribute("aria-label") || element.textContent || "").trim().replace(/\s+/g, " ");
  const text = label.replace(/^(Note|Frame):? /, ""); // the kind has a column of its own
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Bring a drawn part into view and give it the focus. @param {Page} page @param {string} id */
function goTo(page, id) {
  const { canvas, selection, view } = page;
  const element = canvas.elementOf(id) ?? document.getElementById(id);
  if (!element) return;
  if (canvas.elementOf(id)) selection?.pick(id);
  const box = canvas.cards.get(id) ?? canvas.framing?.boxOf(id);
  if (box) showCards(view, [box]);
  /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
}
