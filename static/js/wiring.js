// The edges at rest: led around the cards, with their labels in a layer over all lines. Loaded once the cards are drawn.
import { HEIGHT, WIDTH } from "./geometry.js";
import { Router, equip } from "./routes.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./canvas.js").Edge} Edge */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./labels.js").Label} Label */

const AT_ONCE = 12; // milliseconds in which ways are found before the next picture
const A_WHILE = 6; // and in each of the pauses that follow
const SUPERVISOR = 64; // pixels: how high the supervisor's card is
const LOOKED_AT = ':hover, :focus, [aria-current="true"]';

export class Wiring {
  /** @param {Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.router = new Router();
    this.layer = /** @type {Element} */ (canvas.viewport.querySelector("#labels"));
    /** @type {Map<string, Label>} */
    this.labels = new Map();
    /** @type {import("./labels.js").Places | undefined} */
    this.places = undefined;
    /** @type {typeof import("./labels.js") | undefined} what makes labels, once there is one */
    this.tools = undefined;
    this.turn = 0;
    this.settle();
  }

  /** Lead all edges anew whose ways the cards have changed, and place the labels. Where much is to be found, that takes pauses. */
  settle() {
    const turn = (this.turn += 1);
    const { edges, element } = this.canvas;
    element.removeAttribute("data-routed");
    this.router.begin(this.#boxes(), [...edges].map(([id, { source, target }]) => ({ id, source, target })));
    const work = (time) => {
      if (turn !== this.turn) return;
      const until = performance.now() + time;
      while (!this.router.step()) {
        if (this.router.needs) return equip().then(() => work(AT_ONCE));
        if (performance.now() > until) return pause(() => work(A_WHILE));
      }
      this.#draw();
    };
    work(AT_ONCE);
    this.canvas.draw([...edges].filter(([, { drawn }]) => !drawn).map(([id]) => id));
  }

  /** A label goes along with its edge, which is drawn plainly. @param {string} id @param {number[]} curve */
  follow(id, [x0, y0, x1, y1, x2, y2, x3, y3]) {
    const edge = /** @type {Edge} */ (this.canvas.edges.get(id));
    this.#say(id, edge)?.stand({ x: (x0 + 3 * x1 + 3 * x2 + x3) / 8, y: (y0 + 3 * y1 + 3 * y2 + y3) / 8 });
  }

  /** Edges are looked at, or no longer, or were followed. @param {string[]} ids */
  async relabel(ids) {
    if (!this.tools && ids.length) await this.#label();
    for (const id of ids) {
      const edge = this.canvas.edges.get(id);
      const before = this.labels.get(id)?.width;
      const label = edge && this.#say(id, edge);
      if (edge?.points && label?.width !== before) this.#place(id, edge, label, false);
    }
  }

  #draw() {
    const { edges, element } = this.canvas;
    for (const [id, { d, points, out, into }] of this.router.finish()) {
      const edge = edges.get(id);
      if (!edge) continue;
      Object.assign(edge, { points, out, into });
      if (edge.drawn === d) continue;
      for (const line of edge.lines) line.setAttribute("d", d);
      edge.drawn = d;
    }
    if (this.tools || [...edges.values()].some((edge) => wordsOf(edge.element))) this.#label();
    else element.setAttribute("data-routed", "");
  }

  /** Place all labels. */
  async #label() {
    const { edges, element } = this.canvas;
    this.tools ??= await import("./labels.js");
    for (const id of this.labels.keys()) if (!edges.has(id)) this.#forget(id);
    const drawn = [...edges].flatMap(([id, edge]) => (edge.points ? [{ id, edge, label: this.#say(id, edge) }] : []));
    this.places = new this.tools.Places(drawn.map(({ id, edge }) => [id, edge.points ?? []]), this.router.cells);
    // One that is looked at gives way to those that are always there.
    const asked = ({ edge }) => Number(edge.element.matches(":hover, :focus"));
    drawn.sort((a, b) => asked(a) - asked(b) || (a.id < b.id ? -1 : 1));
    for (const { id, edge, label } of drawn) this.#place(id, edge, label, true);
    element.setAttribute("data-routed", "");
  }

  /** Put a label where it is free, and have it hit as its edge is. @param {string} id @param {Edge} edge @param {Label | undefined} label @param {boolean} keep its place free */
  #place(id, { drawn = "", points = [], lines }, label, keep) {
    let hit = drawn;
    if (label && this.places) {
      const place = this.places[keep ? "put" : "find"]({ id, width: label.width, points });
      label.stand(place);
      hit += `M${place.x - label.width / 2},${place.y}h${label.width}`;
    }
    if (lines[0].getAttribute("d") !== hit) lines[0].setAttribute("d", hit);
  }

  /** Write what an edge's label says, if it says anything. @param {string} id @param {Edge} edge */
  #say(id, { element, source, target }) {
    if (!this.tools) return;
    const [a, b] = [source, target].map((end) => this.canvas.cards.get(end));
    if (a && b) this.tools.name(element, b.x >= a.x + WIDTH);
    const words = wordsOf(element);
    if (!words) return this.#forget(id);
    const label = this.labels.get(id) ?? new this.tools.Label(this.layer, element);
    this.labels.set(id, label);
    label.say(words, element.matches('[aria-current="true"], [data-tally]'));
    return label;
  }

  /** @param {string} id @returns {undefined} */
  #forget(id) {
    this.labels.get(id)?.group.remove();
    this.labels.delete(id);
  }

  /** What edges are to be clear of. @returns {Map<string, Box>} */
  #boxes() {
    /** @type {Map<string, Box>} */
    const boxes = new Map();
    for (const [id, { x, y, element }] of this.canvas.cards) {
      if (!element.matches(".note")) boxes.set(id, { x, y, width: WIDTH, height: element.matches(".supervisor") ? SUPERVISOR : HEIGHT });
    }
    return boxes;
  }
}

/**
 * What an edge's label says: how often it was followed or, before that, its own words. That a `next` leads on is plain to
 * see; what else an edge is its mark says always.
 * @param {SVGGElement} edge
 */
function wordsOf(edge) {
  const { tally, label: own, mark } = edge.dataset;
  const words = tally || (edge.matches(LOOKED_AT) ? own : mark);
  return words && words.length > 28 ? `${words.slice(0, 27)}…` : words || "";
}

/** Go on when the page has nothing else to do. @param {() => void} work */
const pause = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
