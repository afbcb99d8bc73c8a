// Hears of copying, cutting and pasting on the canvas. Fields, and text that is selected, keep them to themselves.
import { isField } from "./hand.js";

/** @param {import("./press.js").Page} page */
export function hearClipboard(page) {
  const { element } = page.canvas;
  /** @type {PointerEvent | null} */
  let pointer = null;
  element.addEventListener("pointermove", (event) => (pointer = event));
  element.addEventListener("pointerleave", () => (pointer = null));

  for (const name of ["copy", "cut", "paste"]) {
    document.addEventListener(name, async (event) => {
      if (isField(event.target) || (name !== "paste" && `${getSelection()}`)) return;
      // Both are gone once the module is there.
      const text = /** @type {ClipboardEvent} */ (event).clipboardData?.getData("text");
      const at = pointer ? page.view.at(pointer) : undefined;
      (await import("./clipboard.js"))[name](page, text, at);
    });
  }
}
