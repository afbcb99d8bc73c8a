// The bar that names the gesture in progress and the keys that continue or end it.
import { keyLabel } from "../core/key-labels.js";
import { clearNotice } from "../core/notice.js";

/**
 * Keys as KEYS writes them, separated by spaces, and their effect.
 * @typedef {[keys: string, effect: string]} KeyHint
 */

/** The keys that choose one of several parts. @type {KeyHint[]} */
export const CHOOSING = [["ArrowLeft ArrowRight ArrowUp ArrowDown Tab", "choose"]];
/** @type {KeyHint} */
export const CANCEL = ["Escape", "cancels"];

const bar = Object.assign(document.createElement("p"), { className: "hint", hidden: true });
bar.setAttribute("aria-hidden", "true"); // screen readers get an announcement instead

/**
 * Show a hint until the returned function is called.
 * @param {string} sentence
 * @param {KeyHint[]} [keys]
 */
export function hint(sentence, keys = []) {
  clearNotice(); // it would cover the bar
  if (!bar.isConnected) document.querySelector(".canvas-area")?.append(bar);
  const text = Object.assign(document.createElement("b"), { textContent: sentence });
  bar.replaceChildren(text, ...keys.map(keyHintElement), ...(keys.includes(CANCEL) ? [cancelButton()] : []));
  bar.hidden = false;
  return () => {
    if (bar.firstChild === text) bar.hidden = true;
  };
}

/** @param {KeyHint} hint */
function keyHintElement([keys, effect]) {
  const element = document.createElement("span");
  element.append(...keys.split(" ").map(keyLabel), ` ${effect}`);
  return element;
}

/** The button for a finger, which has no Escape key; the focus stays. */
function cancelButton() {
  const button = Object.assign(document.createElement("button"), { type: "button", tabIndex: -1, className: "button" });
  button.textContent = "Cancel";
  button.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    event.stopPropagation();
  });
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    const { activeElement, body } = document;
    (activeElement ?? body).dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  });
  return button;
}
