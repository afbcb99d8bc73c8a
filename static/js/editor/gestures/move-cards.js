// Moving cards, by hand or by key: they stand where they were put at once, and go back if the server refuses.
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Drag a card and, when it is selected, all that is selected with it. What is dropped on a frame joins it; with Alt it
 * leaves its own.
 * @param {Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {string[]} ids
 * @param {PointerEvent} start
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function drag(canvas, view, ids, start) {
  const lifted = lift(canvas, ids);
  const begin = view.at(start);
  /** @type {Promise<void> | undefined} */
  let coming;
  /** @type {ReturnType<typeof import("./snap-guides.js").aid> | undefined} */
  let aids;
  let over = false;
  const help = async () => {
    const { aid } = await import("./snap-guides.js");
    if (!over) aids = aid(canvas, view, lifted.from);
  };
  const frame = (event) => canvas.framing?.target(ids, view.at(event), event.altKey);
  const end = () => {
    over = true;
    canvas.framing?.mark();
    return aids?.end();
  };
  return {
    move(event) {
      coming ??= help();
      const at = view.at(event);
      const by = { x: at.x - begin.x, y: at.y - begin.y };
      const { x, y } = aids?.steer(by, event) ?? by;
      lifted.to(x, y);
      frame(event);
    },
    async drop(event) {
      const into = frame(event);
      const edge = end();
      await lifted.drop("", edge, edge ? "" : into);
      if (edge) view.reveal(canvas.cards.get(ids[0])); // it may have made room for itself
    },
    cancel() {
      end();
      lifted.back();
    },
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
  for (const id of ids.flatMap((id) => canvas.framing?.cardsIn(id) ?? id)) {
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
    from,

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

    /**
     * @param {1 | ""} [byKeys] moves by keys that follow one another are undone together
     * @param {string} [edge] in which the card is to stand
     * @param {string} [frame] that the cards are put in
     */
    async drop(byKeys = "", edge = "", frame = "") {
      mark(false);
      const to = new Map([...from].map(([id, { x, y }]) => [id, { x: Math.round(x + dx), y: Math.round(y + dy) }]));
      write(canvas, to);
      canvas.settle();
      const accepted = await (edge ? splice(canvas, to, edge) : send(to, byKeys, frame));
      if (!accepted) write(canvas, from);
      release();
      if (!accepted) announce("Put back: the move was not saved");
    },
  };
}

/**
 * Write the places into the elements: they hold the state.
 * @param {Canvas} canvas
 * @param {Map<string, Point>} places
 */
function write(canvas, places) {
  for (const [id, { x, y }] of places) {
    const card = canvas.cards.get(id);
    if (card) Object.assign(card.element.dataset, { x: String(x), y: String(y) });
  }
}

/** @param {Map<string, Point>} places @param {1 | ""} byKeys @param {string} frame */
async function send(places, byKeys, frame) {
  const supervisor = places.get("supervisor-card");
  // Of a kind of card: where each is, under the name that the server has for it.
  const of = (kind, name) =>
    [...places]
      .filter(([id]) => id.startsWith(`${kind}-`))
      .map(([id, { x, y }]) => ({ [name]: id.slice(kind.length + 1), x, y }));
  const [moves, notes] = [of("stage", "phase"), of("note", "note")];
  const answers = await Promise.all([
    moves.length + notes.length
      ? submit("move", { moves: JSON.stringify(moves), notes: JSON.stringify(notes), frame, by_keys: byKeys, how: "" })
      : true,
    supervisor ? submit("move-supervisor", { x: supervisor.x, y: supervisor.y }) : true,
  ]);
  const accepted = answers.every(Boolean);
  if (accepted)
    announce(`Moved ${places.size === 1 ? [...places.keys()][0].replace("-", " ") : `${places.size} cards`}`);
  return accepted;
}

/** @param {Canvas} canvas @param {Map<string, Point>} places of one card @param {string} edge */
async function splice(canvas, places, edge) {
  const [[id, place]] = places;
  return (await import("./insert-into-transition.js")).splice(canvas, id, edge, place);
}
