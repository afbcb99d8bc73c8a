// Moving cards, by hand or by key: they stand where they were put at once, and go back if the server refuses.
import { submit } from "./gestures.js";
import { announce } from "./notice.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./geometry.js").Point} Point */

/**
 * Drag a card and, when it is selected, all that is selected with it.
 * @param {Canvas} canvas
 * @param {import("./view.js").View} view
 * @param {string[]} ids
 * @param {PointerEvent} start
 * @returns {import("./hand.js").Gesture}
 */
export function drag(canvas, view, ids, start) {
  const lifted = lift(canvas, ids);
  return {
    move: (event) => lifted.to((event.clientX - start.clientX) / view.scale, (event.clientY - start.clientY) / view.scale),
    drop: () => lifted.drop(),
    cancel: () => lifted.back(),
  };
}

/**
 * Take cards up: nothing that comes from the server moves them until they are dropped and answered for.
 * @param {Canvas} canvas
 * @param {string[]} ids
 */
export function lift(canvas, ids) {
  /** @type {Map<string, Point>} */
  const from = new Map();
  for (const id of ids) {
    const card = canvas.cards.get(id);
    if (card) from.set(id, { x: card.x, y: card.y });
  }
  const edges = canvas.edgesAt(from.keys());
  const release = canvas.hold([...from.keys()]);
  let [dx, dy] = [0, 0];

  const mark = (moving) => {
    for (const id of from.keys()) canvas.cards.get(id)?.element.toggleAttribute("data-moving", moving);
  };

  return {
    /** @param {number} x @param {number} y from where the cards were taken up */
    to(x, y) {
      if (!dx && !dy) mark(true);
      [dx, dy] = [x, y];
      for (const [id, point] of from) canvas.place(id, { x: point.x + dx, y: point.y + dy });
      canvas.draw(edges);
    },

    back() {
      mark(false);
      release();
    },

    /** @param {1 | ""} [byKeys] moves by keys that follow one another are undone together */
    async drop(byKeys = "") {
      mark(false);
      const to = new Map([...from].map(([id, { x, y }]) => [id, { x: Math.round(x + dx), y: Math.round(y + dy) }]));
      write(canvas, to);
      const accepted = await send(to, byKeys);
      if (!accepted) write(canvas, from);
      release();
      announce(accepted ? `Moved ${to.size === 1 ? "" : `${to.size} cards`}` : "Put back: the move was not saved");
    },
  };
}

/** Write the places into the elements: they hold the state. @param {Canvas} canvas @param {Map<string, Point>} places */
function write(canvas, places) {
  for (const [id, { x, y }] of places) {
    const card = canvas.cards.get(id);
    if (card) Object.assign(card.element.dataset, { x: String(x), y: String(y) });
  }
}

/** @param {Map<string, Point>} places @param {1 | ""} byKeys */
async function send(places, byKeys) {
  const supervisor = places.get("supervisor-card");
  const moves = [...places].filter(([id]) => id !== "supervisor-card").map(([id, { x, y }]) => ({ phase: id.replace(/^stage-/, ""), x, y }));
  const answers = await Promise.all([
    moves.length ? submit("move", { moves: JSON.stringify(moves), by_keys: byKeys }) : true,
    supervisor ? submit("move-supervisor", { x: supervisor.x, y: supervisor.y }) : true,
  ]);
  return answers.every(Boolean);
}
