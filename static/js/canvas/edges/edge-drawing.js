// Draws the edges at rest: routed around the cards, with their labels in a layer above all lines. Loaded after the
// cards are
// drawn.
import { load } from "../../core/offline.js";
import { HEIGHT, WIDTH, middleOf } from "../geometry.js";
import { Router, loadPathFinder } from "./edge-router.js";

/** @typedef {import("../canvas.js").Canvas} Canvas */
/** @typedef {import("../canvas.js").Edge} Edge */
/** @typedef {import("../geometry.js").Box} Box */
/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("./label-elements.js").Label} Label */

const AT_ONCE = 12; // milliseconds of routing before the next picture
const MANY = 400; // more edges are not routed before the first picture
const A_WHILE = 6; // milliseconds of routing in each idle period after that
const SUPERVISOR = 64; // pixels: the height of the supervisor's card
const LOOKED_AT = ':hover, :focus, [aria-current="true"]';
const HANDLE = ".end-handle:hover";
const FACTORS = { titles: 1.5, names: 1.8, phases: 3 }; // of labels, by the level of the view: zoom-levels.css
const FAR_NAMES = 2.17; // the same for `names` below the scale at which labels are shown

export class EdgeDrawing {
  /** @param {Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.router = new Router();
    this.layer = /** @type {Element} */ (canvas.viewport.querySelector("#labels"));
    /** @type {Map<string, Label>} */
    this.labels = new Map();
    /** @type {import("./label-elements.js").Places | undefined} */
    this.places = undefined;
    /** @type {typeof import("./label-elements.js") | undefined} loaded with the first label */
    this.tools = undefined;
    /** @type {Map<string, import("./edge-router.js").Routed>} */
    this.routes = new Map();
    this.turn = 0;
    this.isFound = false; // whether the routes belong to the present places of the cards
    this.hits = false; // whether every edge has its wide line for the pointer
    this.settle();
  }

  /** Route all edges that a move affects, and place the labels. Long work is done in idle periods. */
  settle() {
    const { edges, element } = this.canvas;
    const ends = [...edges].map(([id, { source, target }]) => ({ id, source, target }));
    if (!this.router.begin(this.#boxes(), ends) && this.routes.size) return this.#restore();
    this.turn += 1;
    this.isFound = false;
    element.removeAttribute("data-routed");
    const steps = this.#find();
    const { turn } = this;
    if (this.routes.size || ends.length < MANY) this.#run(steps, AT_ONCE);
    else pause(() => turn === this.turn && this.#run(steps, A_WHILE));
    if (this.isFound) return;
    // Meanwhile, edges are drawn as plain curves and follow their cards.
    const follows = (card) => this.turn > 1 && this.router.moved.has(card);
    this.canvas.draw(
      [...edges]
        .filter(([, { drawn, source, target }]) => !drawn || follows(source) || follows(target))
        .map(([id]) => id),
    );
  }

  /**
   * Take steps until all are done, with breaks for other work.
   * @param {Generator<Promise<void> | void, void>} steps
   * @param {number} time
   */
  #run(steps, time) {
    const { turn } = this;
    const go = (time) => turn === this.turn && this.#run(steps, time);
    const until = performance.now() + time;
    for (;;) {
      const { done, value } = steps.next();
      if (done) return;
      if (value) return value.then(() => go(AT_ONCE));
      if (performance.now() > until) return pause(() => go(A_WHILE));
    }
  }

  *#find() {
    while (!this.router.step()) yield this.router.needs ? loadPathFinder() : undefined;
    this.routes = this.router.finish();
    this.isFound = true;
    this.#restore();
    yield* this.#labelAll();
  }

  /** Draw the edges whose drawing differs from their route: new ones, and those drawn as plain curves. */
  #restore() {
    for (const [id, { d, points, out, into }] of this.routes) {
      const edge = this.canvas.edges.get(id);
      if (!edge) continue;
      Object.assign(edge, { points, out, into });
      if (this.hits) hitOf(edge);
      if (edge.drawn === d) continue;
      this.canvas.setPath(edge, d);
      const before = this.labels.get(id)?.width;
      const label = this.#updateText(id, edge);
      if (!label?.place) continue;
      // A label with another text may need another place.
      const place = label.width === before ? label.place : this.places?.put({ id, width: label.width, points });
      this.#placeLabel(edge, label, place);
    }
  }

  /** Move the label of an edge that is drawn as a plain curve. @param {string} id @param {number[]} curve */
  follow(id, curve) {
    const edge = /** @type {Edge} */ (this.canvas.edges.get(id));
    this.#updateText(id, edge)?.show(middleOf(curve));
  }

  /** Update the labels of edges. @param {string[]} ids */
  async relabel(ids) {
    if (!ids.length) return;
    await this.#loadPathFinder();
    for (const id of ids) {
      const edge = this.canvas.edges.get(id);
      if (edge) hitOf(edge);
      const before = this.labels.get(id)?.width;
      const label = edge && this.#updateText(id, edge);
      if (edge?.points && label && label.width !== before)
        this.#placeLabel(edge, label, this.places?.find({ id, width: label.width, points: edge.points }));
    }
  }

  /** Load the labels with the first label. */
  async #loadPathFinder() {
    this.tools ??= await load(import("./label-elements.js"));
    this.places ??= new this.tools.Places(this.router.cells, this.#factor);
  }

  /** The factor of labels at the present scale. */
  get #factor() {
    const { far = "", unlabelled } = this.canvas.element.dataset;
    return far === "names" && unlabelled !== undefined ? FAR_NAMES : (FACTORS[far] ?? 1);
  }

  /** Place the labels again for another level of the view. */
  changeLevel() {
    if (!this.isFound) return;
    this.turn += 1;
    this.canvas.element.removeAttribute("data-routed");
    const steps = this.#labelAll();
    pause(() => this.#run(steps, A_WHILE));
  }

  *#labelAll() {
    const { element, edges } = this.canvas;
    for (const edge of this.hits ? [] : edges.values()) {
      hitOf(edge);
      yield;
    }
    this.hits = true;
    // At a scale without labels, there are none before a transition is hovered.
    if (!this.tools && !element.matches("[data-unlabelled]") && edges.size) yield this.#loadPathFinder();
    if (this.tools) yield* this.#label();
    this.canvas.element.setAttribute("data-routed", "");
  }

  /** Place all labels. The label of a hovered or focused edge yields to the permanent ones. */
  *#label() {
    const { edges } = this.canvas;
    for (const id of this.labels.keys()) if (!edges.has(id)) this.#forget(id);
    const places = (this.places = new /** @type {typeof import("./label-elements.js")} */ (this.tools).Places(
      this.router.cells,
      this.#factor,
    ));
    for (const [id, box] of this.tools?.otherLabels(this.canvas, this.#factor) ?? []) places.reserve(id, box);
    /** @type {{id: string, edge: Edge, label: Label}[]} */
    const said = [];
    for (const [id, edge] of edges) {
      if (!edge.points) continue;
      places.draw(id, edge.points);
      const label = this.#updateText(id, edge);
      if (label) said.push({ id, edge, label });
      yield;
    }
    const asked = ({ edge }) => Number(edge.element.matches(":hover, :focus"));
    said.sort((a, b) => asked(a) - asked(b) || (a.id < b.id ? -1 : 1));
    for (const { id, edge, label } of said) {
      this.#placeLabel(edge, label, places.put({ id, width: label.width, points: edge.points ?? [] }));
      yield;
    }
  }

  /**
   * Place a label, and extend the pointer target of its edge over it.
   * @param {Edge} edge
   * @param {Label} label
   * @param {import("./edge-labels.js").LabelPlace | undefined} place
   */
  #placeLabel(edge, label, place) {
    if (!place) return;
    label.moveTo(place);
    const wide = place.isClear ? label.width * this.#factor : 0;
    hitOf(edge).setAttribute("d", `${edge.drawn}M${place.x - wide / 2},${place.y}h${wide}`);
  }

  /** Update the text of an edge's label, or remove an empty label. @param {string} id @param {Edge} edge */
  #updateText(id, { element }) {
    if (!this.tools) return;
    const isShown = element.matches(LOOKED_AT) || document.querySelector(HANDLE)?.getAttribute("data-edge") === id;
    const words = isShown || !this.canvas.element.matches("[data-unlabelled]") ? wordsOf(element) : "";
    if (!words) return this.#forget(id);
    const label = this.labels.get(id) ?? new this.tools.Label(this.layer, element);
    this.labels.set(id, label);
    label.setText(words, element.matches('[aria-current="true"], [data-tally]'), isShown);
    if (isShown && label.group !== this.layer.lastElementChild) this.layer.append(label.group); // over the others
    return label;
  }

  /** @param {string} id @returns {undefined} */
  #forget(id) {
    const edge = this.canvas.edges.get(id);
    if (edge && this.labels.has(id)) hitOf(edge).setAttribute("d", edge.drawn ?? "");
    this.labels.get(id)?.group.remove();
    this.labels.delete(id);
  }

  /** The boxes that edges avoid: cards, and the titles of frames. @returns {Map<string, Box>} */
  #boxes() {
    /** @type {Map<string, Box>} */
    const boxes = new Map();
    for (const [id, { x, y, element }] of this.canvas.cards) {
      if (!element.matches(".note"))
        boxes.set(id, { x, y, width: WIDTH, height: element.matches(".supervisor") ? SUPERVISOR : HEIGHT });
    }
    for (const [id, box] of this.canvas.framing?.titles() ?? []) boxes.set(id, box);
    return boxes;
  }
}

/** The wide, invisible line that is the pointer target of an edge; created when it is needed. @param {Edge} edge */
function hitOf({ lines, drawn }) {
  if (lines.length === 1) {
    const hit = document.createElementNS("http://www.w3.org/2000/svg", "path");
    hit.setAttribute("class", "hit");
    hit.setAttribute("d", drawn ?? "");
    lines[0].before(hit);
    lines.unshift(hit);
  }
  return lines[0];
}

/** The text of an edge's label: the number of times it was followed, or its condition. @param {SVGGElement} edge */
const wordsOf = ({ dataset: { tally, label = "" } }) => tally || label;

/** Continue when the page is idle. @param {() => void} work */
const pause = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
