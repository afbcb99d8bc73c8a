// Moves cards by drag or by key: they stand at the new place at once, and go back if the server rejects the move.
import { load } from "../../core/offline.js";
import { announce } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Drag cards. Cards dropped on a frame join it; with Alt they leave their frame.
 * @param {Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {string[]} ids
 * @param {PointerEvent} start
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function drag(canvas, view, ids, start) {
  const cards = startDragging(canvas, ids);
  const begin = view.at(start);
  /** @type {Promise<void> | undefined} */
  let loading;
  /** @type {ReturnType<typeof import("./snap-guides.js").showGuides> | undefined} */
  let guides;
  let isOver = false;
  const loadGuides = async () => {
    const { showGuides } = await load(import("./snap-guides.js"));
    if (!isOver) guides = showGuides(canvas, view, cards.from);
  };
  const frameAt = (event) => canvas.framing?.target(ids, view.at(event), event.altKey);
  const end = () => {
    isOver = true;
    canvas.framing?.mark();
    return guides?.end();
  };
  return {
    move(event) {
      loading ??= loadGuides();
      const at = view.at(event);
      const by = { x: at.x - begin.x, y: at.y - begin.y };
      const { x, y } = guides?.snapped(by, event) ?? by;
      cards.to(x, y);
      frameAt(event);
    },
    async drop(event) {
      const frame = frameAt(event);
      const edge = end();
      await cards.drop("", edge, edge ? "" : frame);
      if (edge) view.reveal(canvas.cards.get(ids[0])); // the insertion may have moved it
    },
    cancel() {
      end();
      cards.putBack();
    },
  };
}

/**
 * Take cards, and the cards of frames: no answer from the server moves them until they are dropped and saved.
 * @param {Canvas} canvas
 * @param {string[]} ids
 */
export function startDragging(canvas, ids) {
  /** @type {Map<string, Point>} */
  const from = new Map();
  for (const id of ids.flatMap((id) => canvas.framing?.cardsIn(id) ?? id)) {
    const card = canvas.cards.get(id);
    if (card) from.set(id, { x: card.x, y: card.y });
  }
  const edges = canvas.edgesAt(from.keys());
  const release = canvas.hold([...from.keys()]);
  let [dx, dy] = [0, 0];

  const mark = (isMoving) => {
    for (const id of from.keys()) canvas.cards.get(id)?.element.toggleAttribute("data-moving", isMoving);
  };

  return {
    from,

    /** @param {number} x @param {number} y distance from the places where the cards were taken */
    to(x, y) {
      if (!dx && !dy) mark(true);
      [dx, dy] = [x, y];
      for (const [id, point] of from) canvas.place(id, { x: point.x + dx, y: point.y + dy });
      canvas.draw(edges);
    },

    putBack() {
      mark(false);
      release();
    },

    /**
     * Save the places.
     * @param {1 | ""} [byKeys] consecutive moves by key are undone together
     * @param {string} [edge] the edge that takes the card
     * @param {string} [frame] the frame that takes the cards
     */
    async drop(byKeys = "", edge = "", frame = "") {
      mark(false);
      const to = new Map([...from].map(([id, { x, y }]) => [id, { x: Math.round(x + dx), y: Math.round(y + dy) }]));
      write(canvas, to);
      canvas.settle();
      const isAccepted = await (edge ? insert(canvas, to, edge) : send(to, byKeys, frame));
      if (!isAccepted) write(canvas, from);
      release();
      if (!isAccepted) announce("Put back: the move was not saved");
    },
  };
}

/**
 * Write the places into the elements, which hold the state.
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
  // The places of one kind of card, with the server's name of the key.
  const placesOf = (kind, name) =>
    [...places]
      .filter(([id]) => id.startsWith(`${kind}-`))
      .map(([id, { x, y }]) => ({ [name]: id.slice(kind.length + 1), x, y }));
  const [moves, notes] = [placesOf("stage", "phase"), placesOf("note", "note")];
  const fields = { moves: JSON.stringify(moves), notes: JSON.stringify(notes), frame, by_keys: byKeys, how: "" };
  const answers = await Promise.all([
    moves.length + notes.length ? submit("move", fields) : true,
    supervisor ? submit("move-supervisor", { x: supervisor.x, y: supervisor.y }) : true,
  ]);
  const isAccepted = answers.every(Boolean);
  const what = places.size === 1 ? [...places.keys()][0].replace("-", " ") : `${places.size} cards`;
  if (isAccepted) announce(`Moved ${what}`);
  return isAccepted;
}

/** @param {Canvas} canvas @param {Map<string, Point>} places of one card @param {string} edge */
async function insert(canvas, places, edge) {
  const [[id, place]] = places;
  return (await load(import("./insert-into-transition.js"))).insert(canvas, id, edge, place);
}
