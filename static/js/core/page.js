// The parts of every page: notices, dialogs, the connection, the hues of agents, and the number of conversations in
// the inbox.
import { load } from "./offline.js";
import "./notice.js";
import "./dialogs.js";

(globalThis.requestIdleCallback ?? setTimeout)(() => load(import("./connection.js")));

/** The notifications, where they are on or can be switched on. @type {{areOn(): boolean} | undefined} */
let notifications;
if (localStorage["baton:notifications"] || document.querySelector("[data-notifications]"))
  load(import("./inbox-notifications.js")).then((module) => (notifications = module));

/**
 * Refresh the number in the inbox: regularly while the page is visible or notifications are on, and when it becomes
 * visible again.
 */
export const refreshInbox = () =>
  (document.hidden && !notifications?.areOn()) || document.body.dispatchEvent(new CustomEvent("baton:look"));

setInterval(refreshInbox, 15_000); // milliseconds
document.addEventListener("visibilitychange", refreshInbox);

// The content security policy forbids inline styles, so an agent's hue is a data attribute. Each hue of the page has
// one
// rule in a style sheet; elements of the same hue share all values derived from it.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** Hues with a rule. @type {Set<string>} */
const knownHues = new Set();

/** @param {Iterable<Element>} elements with a hue */
function addHues(elements) {
  for (const element of elements) {
    const hue = element.getAttribute("data-hue") ?? "";
    if (knownHues.has(hue)) continue;
    knownHues.add(hue);
    if (Number.isFinite(Number(hue))) sheet.insertRule(`[data-hue="${Number(hue)}"]{--hue:${Number(hue)}}`);
  }
}

// An observer runs before the next paint, whether the page, htmx or a socket has added the element.
new MutationObserver((records) => {
  for (const record of records) {
    for (const node of record.addedNodes) {
      if (!(node instanceof Element)) continue;
      if (node.matches("[data-hue]")) addHues([node]);
      addHues(node.querySelectorAll("[data-hue]"));
    }
  }
}).observe(document.body, { childList: true, subtree: true });

addHues(document.querySelectorAll("[data-hue]"));
