// Connecting stages: from a port to a stage, or to blank paper, where a new stage comes to be; and by key.
import { addStage } from "./add.js";
import { HEIGHT, holds, looseRoute, route } from "./geometry.js";
import { submit } from "./gestures.js";
import { announce, notify } from "./notice.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./geometry.js").Point} Point */

/**
 * Drag from the port of a stage.
 * @param {Canvas} canvas
 * @param {import("./view.js").View} view
 * @param {string} source the id of its card
 * @returns {import("./hand.js").Gesture}
 */
export function pull(canvas, view, source) {
  const ghost = ghostFrom(canvas, source);
  // The port lies on its card's edge: only well inside the card one means the card itself.
  const target = (event) => stageAt(canvas, view.at(event), source);
  return {
    move: (event) => ghost.to(target(event) ?? view.at(event)),
    async drop(event) {
      const [id, point] = [target(event), view.at(event)];
      if (id) await connect(canvas, source, id);
      else if (!holds(canvas.cards.get(source) ?? point, point, 12)) await addStage({ source: phaseOf(canvas, source), x: point.x, y: point.y - HEIGHT / 2 });
      ghost.gone();
    },
    cancel: ghost.gone,
    tap: ghost.gone,
  };
}

/**
 * Connect two stages, if they can be.
 * @param {Canvas} canvas
 * @param {string} source
 * @param {string} target
 */
export async function connect(canvas, source, target) {
  const [from, to] = [phaseOf(canvas, source), phaseOf(canvas, target)];
  if (canvas.edgeBetween(source, target)) return notify(`${from} already leads to ${to}.`, "warning");
  if (await submit("connect", { source: from, target: to })) announce(`Connected ${from} → ${to}`);
}

/** Connecting by key: from the stage in focus to the next one that Enter is pressed on. */
export class Connecting {
  /** @param {Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.source = "";
    canvas.element.addEventListener("focusin", () => this.#show());
  }

  /** @param {string} source */
  begin(source) {
    this.end();
    this.source = source;
    this.ghost = ghostFrom(this.canvas, source);
    this.canvas.element.dataset.connecting = source;
    announce(`Connecting from ${phaseOf(this.canvas, source)}. Choose a stage with the arrows or Tab, connect with Enter, A adds a new one, Escape cancels.`);
  }

  /** @param {string} target */
  async complete(target) {
    const { source } = this;
    this.end();
    await connect(this.canvas, source, target);
  }

  end() {
    this.source = "";
    this.ghost?.gone();
    delete this.canvas.element.dataset.connecting;
  }

  #show() {
    const focused = document.activeElement?.id ?? "";
    if (this.source && focused !== this.source && this.canvas.cards.has(focused)) this.ghost?.to(focused);
  }
}

/** The line that is not there yet. @param {Canvas} canvas @param {string} source */
function ghostFrom(canvas, source) {
  const line = /** @type {SVGPathElement} */ (canvas.viewport.querySelector(".ghost"));
  /** @type {HTMLElement | undefined} */
  let marked;
  const mark = (element) => {
    marked?.removeAttribute("data-target");
    element?.setAttribute("data-target", "");
    marked = element;
  };
  return {
    /** @param {string | Point} end a card's id, or a point */
    to(end) {
      const from = canvas.cards.get(source);
      const card = typeof end === "string" ? canvas.cards.get(end) : undefined;
      if (!from) return;
      line.setAttribute("d", card ? route(from, card).d : looseRoute(from, /** @type {Point} */ (end)));
      line.removeAttribute("hidden");
      mark(card && !canvas.edgeBetween(source, /** @type {string} */ (end)) ? card.element : undefined);
    },
    gone() {
      line.setAttribute("hidden", "");
      mark(undefined);
    },
  };
}

/** The stage under a point, or just beside it. @param {Canvas} canvas @param {Point} point @param {string} source */
const stageAt = (canvas, point, source) => canvas.stages.find(([id, card]) => holds(card, point, id === source ? -24 : 12))?.[0];

/** @param {Canvas} canvas @param {string} id */
const phaseOf = (canvas, id) => canvas.cards.get(id)?.element.dataset.phase ?? "";
