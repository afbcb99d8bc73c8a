// Asking by key for one of several things on the canvas: arrows and Tab go from one to the next, Enter takes it.
import { neighbour } from "./geometry.js";
import { CANCEL, CHOOSING, hint } from "./hint.js";
import { announce } from "./notice.js";

const ARROW = /^Arrow/;

/**
 * @param {import("./press.js").Page} page
 * @param {{
 *   among: Map<string, import("./geometry.js").Point>, first: string, says: string, show?(id: string): void,
 * }} question what can be chosen, by id, and where it is; `show` is told what Enter would take
 * @returns {Promise<string>} the id that was chosen; "": none
 */
export function ask({ canvas, bringIntoView }, { among, first, says, show }) {
  const heard = new AbortController();
  const { signal } = heard;
  const go = (id) => {
    canvas.elementOf(id)?.focus({ preventScroll: true });
    bringIntoView(id);
  };
  return new Promise((resolve) => {
    const taken = hint(says, [...CHOOSING, ["Enter", "takes it"], CANCEL]);
    const end = (id = "") => {
      taken();
      heard.abort();
      resolve(id);
    };
    let at = first;
    canvas.element.addEventListener("focusin", ({ target }) => {
      const { id } = /** @type {Element} */ (target);
      if (!among.has(id)) return;
      at = id;
      show?.(id);
    }, { signal });
    addEventListener("keydown", (event) => {
      const { key } = event;
      if (["Tab", "Shift", "Control", "Alt", "Meta"].includes(key)) return;
      const here = among.get(at);
      if (ARROW.test(key) && here) {
        const to = neighbour(here, /** @type {any} */ (key), [...among].filter(([id]) => id !== at));
        if (to) go(to);
      } else if (key === "Enter" || key === " ") end(among.has(document.activeElement?.id ?? "") ? document.activeElement?.id : "");
      else end();
      if (key !== "Escape" && !ARROW.test(key) && key !== "Enter" && key !== " ") return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }, { capture: true, signal });
    addEventListener("pointerdown", () => end(), { capture: true, signal });
    go(first);
    show?.(first);
    announce(`${says} Choose with the arrows or Tab, take it with Enter, Escape cancels.`);
  });
}
