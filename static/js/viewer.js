// The canvas that is only looked at: while rehearsing.
import { Canvas } from "./canvas.js";
import { follow } from "./hand.js";
import "./sheets.js";
import { View } from "./view.js";
import { listen } from "./keys.js";

const COMMANDS = ["palette", "shortcuts", "minimap", "break-point", "moment-back", "moment-on", "moment-now", "design", "new-conversation", "composer", "export", "pipelines", "pause", "step", "go-on", "note", "hand-over", "take-over", "end", "rename-conversation"];

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));
const canvas = new Canvas(element);
const view = new View(canvas);

follow(canvas, view, () => null);
const page = { canvas, view, has: (id) => /^(zoom-(?!selection)|theme-)/.test(id) || COMMANDS.includes(id) };
listen(page, page.has);
element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});
