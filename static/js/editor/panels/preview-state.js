// Keeps the expanded sections of the model preview open when the preview is replaced.
import { afterSwaps } from "../../core/after-swaps.js";

/** Open state by selected subject and section. @type {Map<string, boolean>} */
const openSections = new Map();

/** @param {HTMLElement} section */
function keyOf({ id }) {
  const subject = /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"));
  return `${subject?.value} ${id}`;
}

document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.id.startsWith("sees-"))
      openSections.set(keyOf(target), target.open);
  },
  true,
);

afterSwaps(() => {
  for (const section of /** @type {NodeListOf<HTMLDetailsElement>} */ (
    document.querySelectorAll("#model-sees details[id]")
  )) {
    if (openSections.get(keyOf(section)) && !section.open) section.open = true;
  }
});
