// Draws frames around their stages, and finds the frame that takes dropped stages. Only pipelines with frames load
// this.
import { bounds } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */

const AIR = 22; // pixels between a frame and its stages
const HEAD = 26; // pixels above them for the title
const TITLE = { inset: 14, letter: 8.5, height: 30 }; // pixels: the start of a title, a letter, and its height

export const OUT = ":out"; // the server's word for no frame

export class Framing {
  /** @param {import("./canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.waits = false;
  }

  /** Draw the frames again before the next picture. */
  follow() {
    if (this.waits) return;
    this.waits = true;
    queueMicrotask(() => {
      this.waits = false;
      for (const [id, element] of this.canvas.frames) draw(element, this.boxOf(id));
    });
  }

  /** The ids of the cards in a frame; undefined if it is no frame. @param {string} id */
  cardsIn(id) {
    const phases = this.canvas.frames.get(id)?.dataset.stages?.split(" ");
    return phases?.map((phase) => `stage-${phase}`).filter((card) => this.canvas.cards.has(card));
  }

  /** The id of the frame around a card. @param {string} card */
  frameOf(card) {
    return [...this.canvas.frames.keys()].find((id) => this.cardsIn(id)?.includes(card)) ?? "";
  }

  /** @param {string} id @param {string[]} [but] cards that do not count @returns {Box | null} */
  boxOf(id, but = []) {
    const cards = this.cardsIn(id)?.filter((card) => !but.includes(card)) ?? [];
    const box = bounds(cards.map((card) => /** @type {Point} */ (this.canvas.cards.get(card))));
    return (
      box && { x: box.x - AIR, y: box.y - AIR - HEAD, width: box.width + 2 * AIR, height: box.height + 2 * AIR + HEAD }
    );
  }

  /** The boxes of the titles of all frames, by the ids of the frames. @returns {[string, Box][]} */
  titles() {
    return [...this.canvas.frames].flatMap(([id, element]) => {
      const box = this.boxOf(id);
      const width = TITLE.inset + (element.textContent ?? "").length * TITLE.letter;
      return box ? [[id, { x: box.x, y: box.y, width: Math.min(box.width, width), height: TITLE.height }]] : [];
    });
  }

  /** The boxes of all frames. */
  boxes() {
    return [...this.canvas.frames.keys()].map((id) => this.boxOf(id)).filter((box) => box !== null);
  }

  /**
   * The key of the frame for cards that are dropped at a point, OUT if they leave their frame, or "" if nothing
   * changes. The frame is marked.
   * @param {string[]} ids
   * @param {Point} point
   * @param {boolean} leaves whether the cards are taken out of their frames
   */
  target(ids, point, leaves) {
    const cards = ids.filter((id) => this.canvas.cards.get(id)?.element.dataset.phase);
    const whole = ids.some((id) => this.canvas.frames.has(id));
    const strangers = whole ? [] : cards.filter((card) => leaves === !!this.frameOf(card) || !leaves);
    const over =
      strangers.length && !leaves
        ? [...this.canvas.frames.keys()].find((id) => inside(this.boxOf(id, cards), point))
        : "";
    const joins = over && cards.some((card) => this.frameOf(card) !== over) ? over : "";
    this.mark(joins);
    if (joins) return this.canvas.frames.get(joins)?.dataset.frame ?? "";
    return leaves && strangers.length ? OUT : "";
  }

  /** Mark the frame that would take the dragged cards. @param {string} [id] */
  mark(id = "") {
    for (const [key, element] of this.canvas.frames) element.toggleAttribute("data-target", key === id);
  }
}

/** @param {HTMLElement} element @param {Box | null} box */
function draw(element, box) {
  const { style } = element;
  element.hidden = !box;
  if (!box) return;
  style.transform = `translate(${box.x}px, ${box.y}px)`;
  style.width = `${box.width}px`;
  style.height = `${box.height}px`;
}

/** @param {Box | null} box @param {Point} point */
const inside = (box, { x, y }) =>
  !!box && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
