// Lights the canvas as events come: who has the conversation, which way it went, where it was refused. What was lit at
// an
// earlier moment the slider shows; meanwhile what comes is taken in, and shown when it is back at now.
import { dark, paint, refusedAt, take } from "./canvas-marks.js";

/** @typedef {import("./canvas-marks.js").Light} Light */

const now = dark();
/** @type {{seq: number, light: Light}[]} what came since the page was loaded */
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
      element.remove(); // it is taken in: the page does not grow with the conversation
    }
    if (!isShown) return;
    paint(now);
    for (const { dataset, id } of /** @type {HTMLElement[]} */ (added))
      if (dataset.refused && id) flash(refusedAt(dataset));
  }).observe(list, { childList: true });
}

/** Show the canvas as it is now, or leave it to somebody else. @param {boolean} on */
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
  // Where nothing moves there is no animation to end.
  if (matchMedia("(prefers-reduced-motion: reduce)").matches)
    setTimeout(() => element.removeAttribute("data-refused"), 900);
}
