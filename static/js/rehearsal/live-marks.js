// Updates the marks on the canvas with each event. While the time slider shows an earlier moment, new marks are
// collected and
// shown later.
import { dark, paint, refusedAt, take } from "./canvas-marks.js";

/** @typedef {import("./canvas-marks.js").Light} Light */

const now = dark();
/** @type {{seq: number, light: Light}[]} marks since the page was loaded */
export const news = [];
let isShown = true;
const list = document.getElementById("lights");

if (list) {
  for (const light of list.children) take(now, /** @type {HTMLElement} */ (light).dataset);
  list.replaceChildren();
  paint(now);
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]).filter((node) => node instanceof HTMLElement);
    if (!added.length) return;
    for (const element of /** @type {HTMLElement[]} */ (added)) {
      const light = { ...element.dataset };
      take(now, light);
      if (light.anew) document.dispatchEvent(new CustomEvent("baton:leapt"));
      if (element.id) news.push({ seq: Number(element.id.replace("light-", "")), light });
      element.remove(); // processed: the page must not grow with the conversation
    }
    if (!isShown) return;
    paint(now);
    for (const { dataset, id } of /** @type {HTMLElement[]} */ (added))
      if (dataset.refused && id) flash(refusedAt(dataset));
  }).observe(list, { childList: true });
}

/** Show the present marks, or leave the canvas to the time slider. @param {boolean} on */
export function showNow(on) {
  isShown = on;
  if (on) paint(now);
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
