// The canvas that is only looked at: while rehearsing.
import { Canvas } from "../canvas/canvas.js";
import { follow } from "../canvas/pointer.js";
import "../core/panel-sheets.js";
import { View } from "../canvas/view.js";
import { listen } from "../canvas/commands/keys.js";

if (localStorage.folded) import("../core/panel-folding.js");

const COMMANDS = [
  "palette",
  "shortcuts",
  "minimap",
  "fold-left",
  "break-point",
  "moment-back",
  "moment-on",
  "moment-now",
  "design",
  "new-conversation",
  "composer",
  "export",
  "pipelines",
  "pause",
  "step",
  "go-on",
  "note",
  "hand-over",
  "take-over",
  "end",
  "rename-conversation",
];

/** What changes the conversation is never typed by accident: its keys need the focus on the canvas itself. */
const STEERING = ["pause", "step", "go-on", "note", "hand-over", "take-over", "end"];

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));
const canvas = new Canvas(element);
canvas.wire();
const view = new View(canvas);

follow(canvas, view, () => null);
const page = { canvas, view, has: (id) => /^(zoom-(?!selection)|theme-)/.test(id) || COMMANDS.includes(id) };
listen(page, (id) => page.has(id) && (document.activeElement !== document.body || !STEERING.includes(id)));
element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});
