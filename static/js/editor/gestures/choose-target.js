// Chooses one of several parts of the canvas by key: arrows and Tab go from one to the next, Enter chooses. The choice
// ends when the focus leaves the canvas.
import { CANCEL, CHOOSING, hint } from "../../canvas/hint-bar.js";
import { keepClear } from "../../canvas/keep-clear.js";
import { neighbour } from "../../canvas/neighbour.js";
import { announce } from "../../core/notice.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

const ARROW = /^Arrow/;

/**
 * Let a person choose a part by key.
 * @param {import("../../canvas/commands/command.js").Page} page
 * @param {{
 *   among: Map<string, Point>, first: string, describe(id: string): string, show?(id: string): void,
 * }} options the parts and their places, by id; the sentence and the preview for the part that Enter would choose
 * @returns {Promise<string>} the id of the chosen part, or ""
 */
export function choose({ canvas, view, bringIntoView }, { among, first, describe, show }) {
  const listening = new AbortController();
  const { signal } = listening;
  keepClear(view);
  const go = (id) => {
    canvas.elementOf(id)?.focus({ preventScroll: true });
    bringIntoView(id);
  };
  return new Promise((resolve) => {
    let hideHint = () => {};
    const end = (id = "") => {
      hideHint();
      listening.abort();
      resolve(id);
    };
    let current = "";
    const offer = (id) => {
      current = id;
      hideHint = hint(describe(id), [...CHOOSING, ["Enter", "chooses it"], CANCEL]);
      show?.(id);
    };
    const onFocus = ({ target }) => among.has(target.id) && target.id !== current && offer(target.id);
    canvas.element.addEventListener("focusin", onFocus, { signal });
    whenLeft(canvas, end, signal);
    cycleWithTab(
      () => among,
      () => current,
      go,
      signal,
    );
    const onKey = (event) => {
      const { key } = event;
      if (["Shift", "Control", "Alt", "Meta"].includes(key)) return;
      const here = among.get(current);
      const isChosen = key === "Enter" || key === " ";
      if (ARROW.test(key) && here) {
        const to = neighbour(
          here,
          /** @type {any} */ (key),
          [...among].filter(([id]) => id !== current),
        );
        if (to) go(to);
      } else end(isChosen && among.has(document.activeElement?.id ?? "") ? document.activeElement?.id : "");
      if (key !== "Escape" && !ARROW.test(key) && !isChosen) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", onKey, { capture: true, signal });
    addEventListener("pointerdown", () => end(), { capture: true, signal });
    offer(first);
    go(first);
    announce(`${describe(first)} Choose with the arrows or Tab, confirm with Enter, Escape cancels.`);
  });
}

/**
 * Call `end` when the focus leaves the canvas.
 * @param {Canvas} canvas
 * @param {() => void} end
 * @param {AbortSignal} signal
 */
export function whenLeft({ element }, end, signal) {
  const onFocus = ({ target }) => element.contains(/** @type {Node} */ (target)) || end();
  document.addEventListener("focusin", onFocus, { signal });
}

/**
 * Let Tab and Shift+Tab go round some parts, from left to right and top to bottom.
 * @param {() => Iterable<[string, Point]>} among
 * @param {() => string} current
 * @param {(id: string) => void} go
 * @param {AbortSignal} signal
 */
export function cycleWithTab(among, current, go, signal) {
  const onKey = (event) => {
    if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
    const ids = [...among()].sort(([, a], [, b]) => a.x - b.x || a.y - b.y).map(([id]) => id);
    go(/** @type {string} */ (ids.at((ids.indexOf(current()) + (event.shiftKey ? -1 : 1)) % ids.length)));
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", onKey, { capture: true, signal });
}

/** Return the focus to a part, unless it has moved away from the canvas. @param {Canvas} canvas @param {string} id */
export function returnFocus(canvas, id) {
  const { activeElement, body } = document;
  if (activeElement === body || canvas.element.contains(activeElement))
    canvas.elementOf(id)?.focus({ preventScroll: true });
}
