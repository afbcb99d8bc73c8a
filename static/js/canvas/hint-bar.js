// The bar that says, while something is under way on the canvas, what it is and which keys go on with it.
import { keycaps } from "../core/key-labels.js";
import { clearNotice } from "../core/notice.js";

/** @typedef {[keys: string, does: string]} Way keys as KEYS writes them, parted by blanks, and what they do */

/** The keys by which one of several things is chosen. @type {Way[]} */
export const CHOOSING = [["ArrowLeft ArrowRight ArrowUp ArrowDown Tab", "choose"]];
/** @type {Way} */
export const CANCEL = ["Escape", "cancels"];

const bar = Object.assign(document.createElement("p"), { className: "hint", hidden: true });
bar.setAttribute("aria-hidden", "true"); // those who do not see it are told otherwise

/**
 * Say what is under way, until the returned function is called.
 * @param {string} what
 * @param {Way[]} [ways]
 */
export function hint(what, ways = []) {
  clearNotice(); // it would lie over this
  if (!bar.isConnected) document.querySelector(".canvas-area")?.append(bar);
  const said = Object.assign(document.createElement("b"), { textContent: what });
  bar.replaceChildren(said, ...ways.map(wayOf));
  bar.hidden = false;
  return () => {
    if (bar.firstChild === said) bar.hidden = true;
  };
}

/** @param {Way} way */
function wayOf([keys, does]) {
  const way = document.createElement("span");
  way.append(...keys.split(" ").map(keycaps), ` ${does}`);
  return way;
}
