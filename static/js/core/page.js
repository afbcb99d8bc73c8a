// What every page has: notices, dialogs, hues, and how many wait in the inbox.
import "./notice.js";
import "./dialogs.js";

/** Have the inbox looked after now: as long as the page is seen it is, and at once when it is seen again. */
export const look = () => document.hidden || document.body.dispatchEvent(new CustomEvent("baton:look"));

setInterval(look, 15_000); // milliseconds
document.addEventListener("visibilitychange", look);

// Hues: the policy forbids inline styles, so an agent's hue travels as a data attribute. Each hue that the page has
// is one rule of a sheet, and no element has a style of its own: those of one hue then share all that follows from it.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** The hues that have their rule. @type {Set<string>} */
const known = new Set();

/** @param {Iterable<Element>} elements that say a hue */
function learn(elements) {
  for (const element of elements) {
    const hue = element.getAttribute("data-hue") ?? "";
    if (known.has(hue)) continue;
    known.add(hue);
    if (Number.isFinite(Number(hue))) sheet.insertRule(`[data-hue="${Number(hue)}"]{--hue:${Number(hue)}}`);
  }
}

// An observer runs before the next paint, whoever put the element there: page, htmx or socket.
new MutationObserver((records) => {
  for (const record of records) {
    for (const node of record.addedNodes) {
      if (!(node instanceof Element)) continue;
      if (node.matches("[data-hue]")) learn([node]);
      learn(node.querySelectorAll("[data-hue]"));
    }
  }
}).observe(document.body, { childList: true, subtree: true });

learn(document.querySelectorAll("[data-hue]"));
