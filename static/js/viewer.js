// The canvas that is only looked at: while rehearsing.
import { Canvas } from "./canvas.js";
import { follow } from "./hand.js";
import "./sheets.js";
import { View } from "./view.js";
import { listen } from "./keys.js";

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));
const canvas = new Canvas(element);
const view = new View(canvas);

follow(canvas, view, () => null);
listen({ canvas, view }, (id) => id.startsWith("zoom"));
element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});
