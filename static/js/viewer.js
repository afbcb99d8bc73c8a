// The canvas that is only looked at: while rehearsing.
import { Canvas } from "./canvas.js";
import { follow } from "./hand.js";
import "./sheets.js";
import { View } from "./view.js";
import { zoomKeys } from "./keys.js";

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));
const canvas = new Canvas(element);
const view = new View(canvas);

follow(canvas, view, () => null);
document.addEventListener("keydown", (event) => zoomKeys(event, canvas, view));
element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});
