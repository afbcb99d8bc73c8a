// The canvas of the rehearsal: it can be viewed, not edited.
import { load } from "../core/offline.js";
import { Canvas } from "../canvas/canvas.js";
import { listen, offerCommands } from "../canvas/commands/key-bindings.js";
import { REHEARSAL_KEYS } from "../canvas/commands/rehearsal-keys.js";
import { followPointers } from "../canvas/pointer.js";
import { View } from "../canvas/view.js";
import "../core/panel-sheets.js";

if (localStorage.folded) load(import("../core/panel-folding.js"));

/**
 * Commands that change the conversation: their keys need the focus on the canvas, so that nobody types them by mistake.
 */
const STEERING = ["pause", "step", "go-on", "note", "hand-over", "take-over", "end"];

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));
const canvas = new Canvas(element);
canvas.routeEdges();
const view = new View(canvas);

followPointers(canvas, view, () => null);
const page = /** @type {import("../canvas/commands/command.js").Page} */ (/** @type {any} */ ({ canvas, view }));
offerCommands(page, () => load(import("./commands.js")));
listen(page, REHEARSAL_KEYS, (id) => document.activeElement !== document.body || !STEERING.includes(id));

/** Let Tab follow the pipeline. If the module cannot be loaded, the next focus tries again. */
async function orderCards() {
  const module = await load(import("../canvas/tab-order.js")).catch(() => null);
  if (module) module.orderByFlow(canvas);
  else addEventListener("focusin", orderCards, { once: true });
}
addEventListener("focusin", orderCards, { once: true });

element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});

let live = "";

/** Bring the card of the conversation's stage into view when the stage changes. */
function followStage() {
  const { id = "" } = element.querySelector(".stage[data-live]") ?? {};
  if (!id || id === live) return;
  live = id;
  view.reveal(canvas.cards.get(id));
}
followStage();
new MutationObserver(followStage).observe(element, { attributeFilter: ["data-live"], subtree: true });
