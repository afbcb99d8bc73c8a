// Asking by key for one of several things on the canvas: arrows and Tab go from one to the next, Enter takes it. Where
// the
// focus leaves the canvas, nobody asks any longer.
import { keepClear } from "../../canvas/keep-clear.js";
import { neighbour } from "../../canvas/geometry.js";
import { CANCEL, CHOOSING, hint } from "../../canvas/hint-bar.js";
import { announce } from "../../core/notice.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

const ARROW = /^Arrow/;

/**
 * @param {import("./gesture-start.js").Page} page
 * @param {{
 *   among: Map<string, Point>, first: string, says(id: string): string, show?(id: string): void,
 * }} question what can be chosen, by id, and where it is; what is said, and `show` is told, is what Enter would take
 * @returns {Promise<string>} the id that was chosen; "": none
 */
export function ask({ canvas, view, bringIntoView }, { among, first, says, show }) {
  const heard = new AbortController();
  const { signal } = heard;
  keepClear(view);
  const go = (id) => {
    canvas.elementOf(id)?.focus({ preventScroll: true });
    bringIntoView(id);
  };
  return new Promise((resolve) => {
    let taken = () => {};
    const end = (id = "") => {
      taken();
      heard.abort();
      resolve(id);
    };
    let at = "";
    const choose = (id) => {
      at = id;
      taken = hint(says(id), [...CHOOSING, ["Enter", "takes it"], CANCEL]);
      show?.(id);
    };
    canvas.element.addEventListener(
      "focusin",
      ({ target }) => {
        const { id } = /** @type {Element} */ (target);
        if (among.has(id) && id !== at) choose(id);
      },
      { signal },
    );
    whenLeft(canvas, end, signal);
    goRound(
      () => among,
      () => at,
      go,
      signal,
    );
    addEventListener(
      "keydown",
      (event) => {
        const { key } = event;
        if (["Shift", "Control", "Alt", "Meta"].includes(key)) return;
        const here = among.get(at);
        if (ARROW.test(key) && here) {
          const to = neighbour(
            here,
            /** @type {any} */ (key),
            [...among].filter(([id]) => id !== at),
          );
          if (to) go(to);
        } else if (key === "Enter" || key === " ")
          end(among.has(document.activeElement?.id ?? "") ? document.activeElement?.id : "");
        else end();
        if (key !== "Escape" && !ARROW.test(key) && key !== "Enter" && key !== " ") return;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      { capture: true, signal },
    );
    addEventListener("pointerdown", () => end(), { capture: true, signal });
    choose(first);
    go(first);
    announce(`${says(first)} Choose with the arrows or Tab, take it with Enter, Escape cancels.`);
  });
}

/**
 * Once the focus is elsewhere on the page, it is over.
 * @param {Canvas} canvas
 * @param {() => void} end
 * @param {AbortSignal} signal
 */
export function whenLeft({ element }, end, signal) {
  document.addEventListener("focusin", ({ target }) => element.contains(/** @type {Node} */ (target)) || end(), {
    signal,
  });
}

/**
 * Tab goes round what can be chosen, from left to right and down, and Shift+Tab back. Escape leaves it.
 * @param {() => Iterable<[string, Point]>} among
 * @param {() => string} at which of it is chosen
 * @param {(id: string) => void} go
 * @param {AbortSignal} signal
 */
export function goRound(among, at, go, signal) {
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
      const ids = [...among()].sort(([, a], [, b]) => a.x - b.x || a.y - b.y).map(([id]) => id);
      go(/** @type {string} */ (ids.at((ids.indexOf(at()) + (event.shiftKey ? -1 : 1)) % ids.length)));
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true, signal },
  );
}

/**
 * Have the focus back on what was asked about, unless someone has gone elsewhere meanwhile.
 * @param {Canvas} canvas
 * @param {string} id
 */
export function comeBack(canvas, id) {
  const { activeElement, body } = document;
  if (activeElement === body || canvas.element.contains(activeElement))
    canvas.elementOf(id)?.focus({ preventScroll: true });
}
