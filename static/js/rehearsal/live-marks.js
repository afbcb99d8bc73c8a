// Updates the marks on the canvas with each event. While the time slider shows an earlier moment, new marks are
// collected and
// shown later.
import { noMarks, showMarks, rejectedPart, addMarks } from "./canvas-marks.js";

/** @typedef {import("./canvas-marks.js").EventMarks} EventMarks */

const now = noMarks();
/** @type {{seq: number, light: EventMarks}[]} marks since the page was loaded */
export const newMarks = [];
let isShown = true;
const list = document.getElementById("lights");

if (list) {
  for (const light of list.children) addMarks(now, /** @type {HTMLElement} */ (light).dataset);
  list.replaceChildren();
  showMarks(now);
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]).filter((node) => node instanceof HTMLElement);
    if (!added.length) return;
    for (const element of /** @type {HTMLElement[]} */ (added)) {
      const light = { ...element.dataset };
      addMarks(now, light);
      if (light.anew) document.dispatchEvent(new CustomEvent("baton:leapt"));
      if (element.id) newMarks.push({ seq: Number(element.id.replace("light-", "")), light });
      element.remove(); // processed: the page must not grow with the conversation
    }
    if (!isShown) return;
    showMarks(now);
    for (const { dataset, id } of /** @type {HTMLElement[]} */ (added))
      if (dataset.refused && id) flash(rejectedPart(dataset));
  }).observe(list, { childList: true });
}

/** Show the present marks, or leave the canvas to the time slider. @param {boolean} on */
export function showPresent(on) {
  isShown = on;
  if (on) showMarks(now);
}

/** @param {string} id */
export function flash(id) {
  const element = document.getElementById(id);
  if (!element) return;
  element.setAttribute("data-refused", "");
  element.addEventListener("animationend", () => element.removeAttribute("data-refused"), { once: true });
  // With reduced motion there is no animation that ends.
  if (matchMedia("(prefers-reduced-motion: reduce)").matches)
    setTimeout(() => element.removeAttribute("data-refused"), 900);
}
