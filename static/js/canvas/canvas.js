// Places the cards and draws the edges from the data of their elements, again after every swap. At first, and while
// cards
// move, edges are plain curves; at rest edge-drawing.js leads them around the cards and labels them.
import { load } from "../core/offline.js";
import { holds, route } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/**
 * The card of a stage, of the supervisor, or of a note; a note has its own size.
 * @typedef {{element: HTMLElement, x: number, y: number, held: number, width?: number, height?: number}} Card
 */
/**
 * An edge. The last of its `lines` is visible; `drawn` is their path and `curve` the points of a plain curve; `dragged`
 * edges are drawn by drag-layer.js; `points` is the route at rest; `out` and `into` shift its ends (geometry.js).
 * @typedef {{element: SVGGElement, source: string, target: string, lines: Element[], drawn?: string, curve?: number[],
 * dragged?: boolean, points?: Point[], out?: number, into?: number}} Edge
 */

/** The id of the card of a stage. @param {string} phase */
export const cardId = (phase) => `stage-${phase}`;

/**
 * The canvas of the page. Its maps mirror the elements, so that no frame of a gesture has to search for one. After a
 * swap it dispatches `baton:drawn`.
 */
export class Canvas {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.viewport = /** @type {HTMLElement} */ (element.querySelector(".viewport"));
    this.editable = element.dataset.mode !== "rehearse";
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    /** @type {Map<string, Edge>} */
    this.edges = new Map();
    /** @type {Map<string, Set<string>>} edges by card */
    this.touching = new Map();

    /** @type {Map<string, HTMLElement>} frames around stages, drawn by frames.js */
    this.frames = new Map();
    /** @type {import("./frames.js").Framing | undefined} */
    this.framing = undefined;
    /** @type {Promise<void> | undefined} resolves when the size of the frames is known, if there are frames */
    this.framed = undefined;
    /** @type {import("./edges/edge-drawing.js").EdgeDrawing | undefined} */
    this.edgeDrawing = undefined;
    /** Draws the moving edges; set by drag-layer.js. */
    this.drawLifted = () => {};
    /** Adds the elements that the first picture does not need; set by deferred-elements.js. */
    this.complete = () => {};

    const [frames, notes, stages, edges] = ["#frames", "#notes", "#stages", "#edges"].map(
      (id) => /** @type {Element} */ (element.querySelector(id)),
    );
    this.#take([
      ...notes.children,
      ...stages.children,
      ...this.viewport.children,
      ...edges.children,
      ...frames.children,
    ]);
    this.observer = new MutationObserver((records) => this.#observe(records));
    for (const parent of [frames, notes, stages, edges, this.viewport])
      this.observer.observe(parent, { childList: true });
    new MutationObserver((records) => this.#relabel(records.map((record) => record.target))).observe(edges, {
      subtree: true,
      attributeFilter: ["data-tally", "aria-current"],
    });
    for (const event of ["pointerover", "pointerout", "focusin", "focusout"])
      element.addEventListener(event, ({ target }) => this.#relabel([target]));
  }

  /** The cards of stages, by id. */
  get stages() {
    return [...this.cards].filter(([, card]) => card.element.dataset.phase !== undefined);
  }

  /** The boxes of all cards and frames. */
  get boxes() {
    return [...this.cards.values(), ...(this.framing?.boxes() ?? [])];
  }

  /** Report whether there is no card at a point. @param {Point} point */
  isBlank(point) {
    return ![...this.cards.values()].some((card) => holds(card, point));
  }

  /** The phase of a stage's card; "" for anything else. @param {string} id */
  phaseOf(id) {
    return this.cards.get(id)?.element.dataset.phase ?? "";
  }

  /** @param {string} id @returns {HTMLElement | SVGGElement | undefined} */
  elementOf(id) {
    return this.cards.get(id)?.element ?? this.edges.get(id)?.element ?? this.frames.get(id);
  }

  /** The id of the edge from one card to another. @param {string} source @param {string} target */
  edgeBetween(source, target) {
    return [...(this.touching.get(source) ?? [])].find((id) => {
      const edge = /** @type {Edge} */ (this.edges.get(id));
      return edge.source === source && edge.target === target;
    });
  }

  /** The ids of the edges at some cards. @param {Iterable<string>} ids */
  edgesAt(ids) {
    return new Set([...ids].flatMap((id) => [...(this.touching.get(id) ?? [])]));
  }

  /** Move a card. Its edges follow when they are drawn. @param {string} id @param {Point} point */
  place(id, { x, y }) {
    const card = this.cards.get(id);
    if (!card) return;
    [card.x, card.y] = [x, y];
    card.element.style.transform = `translate(${x}px, ${y}px)`;
    this.framing?.follow();
  }

  /** Draw edges as plain curves. @param {Iterable<string>} ids */
  draw(ids) {
    for (const id of ids) {
      const edge = this.edges.get(id);
      const [a, b] = [this.cards.get(edge?.source ?? ""), this.cards.get(edge?.target ?? "")];
      if (!edge || !a || !b) continue;
      const { d, curve } = route(a, b, edge);
      edge.curve = curve;
      this.setPath(edge, d);
      if (!edge.dragged) this.edgeDrawing?.follow(id, curve);
    }
    this.drawLifted();
  }

  /** Set the path of an edge. @param {Edge} edge @param {string} d */
  setPath(edge, d) {
    edge.drawn = d;
    if (!edge.dragged) for (const line of edge.lines) line.setAttribute("d", d);
  }

  /** Process pending changes of the page at once. */
  processChanges() {
    this.#observe(this.observer.takeRecords());
  }

  /** Lead edges around the cards from now on. */
  async routeEdges() {
    const { EdgeDrawing } = await load(import("./edges/edge-drawing.js"));
    await this.framed; // edges avoid the titles of frames
    this.edgeDrawing ??= new EdgeDrawing(this);
  }

  /** Lead the edges around the cards after a move. */
  settle() {
    this.edgeDrawing?.settle();
  }

  /**
   * Keep cards in place during swaps, until the returned function is called: an answer to an earlier gesture must not
   * move a card that is being dragged again.
   * @param {string[]} ids
   */
  hold(ids) {
    for (const id of ids) this.#held(id, 1);
    return () => {
      for (const id of ids) this.#held(id, -1);
      if (this.edgeDrawing) this.settle();
      else this.draw(this.edgesAt(ids));
    };
  }

  /** @param {string} id @param {number} by */
  #held(id, by) {
    const card = this.cards.get(id);
    if (!card) return;
    card.held += by;
    if (card.held === 0) this.place(id, positionOf(card.element));
  }

  /** @param {MutationRecord[]} records */
  #observe(records) {
    const elements = (nodes) => [...nodes].filter((node) => node instanceof Element);
    for (const node of records.flatMap((record) => elements(record.removedNodes))) this.#drop(node);
    this.#take(records.flatMap((record) => elements(record.addedNodes)).filter((node) => node.isConnected));
    if (
      records.some((record) =>
        elements([...record.removedNodes, ...record.addedNodes]).some((node) =>
          node.matches(".stage, .supervisor, .frame, g.edge"),
        ),
      )
    )
      this.settle();
    this.element.dispatchEvent(new CustomEvent("baton:drawn"));
  }

  /**
   * Update the labels of edges that are hovered, focused or followed, or no longer.
   * @param {(EventTarget | null)[]} targets
   */
  #relabel(targets) {
    const edgeOf = (target) => target.closest(".edge")?.id ?? target.closest("[data-edge]")?.dataset.edge ?? [];
    this.edgeDrawing?.relabel(targets.flatMap((target) => edgeOf(/** @type {HTMLElement} */ (target))));
  }

  /** @param {Element[]} elements */
  #take(elements) {
    const redraw = new Set();
    const moved = new Map();
    for (const element of elements) {
      if (element.matches(".stage, .supervisor, .note")) {
        const card = cardOf(/** @type {HTMLElement} */ (element));
        const before = this.cards.get(element.id);
        if (before?.held) Object.assign(card, { x: before.x, y: before.y, held: before.held });
        else if (before && (before.x !== card.x || before.y !== card.y)) moved.set(card.element, before);
        this.cards.set(element.id, card);
        this.place(element.id, card);
        for (const id of this.touching.get(element.id) ?? []) redraw.add(id);
      } else if (element.matches("g.edge")) {
        const edge = edgeOf(/** @type {SVGGElement} */ (element));
        this.edges.set(element.id, edge);
        for (const end of [edge.source, edge.target]) {
          if (!this.touching.has(end)) this.touching.set(end, new Set());
          this.touching.get(end)?.add(element.id);
        }
        redraw.add(element.id);
      } else if (element.matches(".frame")) {
        this.frames.set(element.id, /** @type {HTMLElement} */ (element));
        this.framed = this.#frame();
      }
    }
    if (!this.edgeDrawing) this.draw(redraw);
    if (moved.size) load(import("./animate-move.js")).then(({ animateMove }) => animateMove(this, moved));
    this.element.toggleAttribute("data-empty", this.cards.size === 0);
  }

  /** Draw the frames. Only pipelines with frames load the module. */
  async #frame() {
    const { Framing } = await load(import("./frames.js"));
    const isFirst = !this.framing;
    this.framing ??= new Framing(this);
    this.framing.follow();
    if (isFirst) this.settle();
  }

  /** @param {Element} element */
  #drop(element) {
    if (this.frames.get(element.id) === element) this.frames.delete(element.id);
    if (this.cards.get(element.id)?.element === element && !document.getElementById(element.id))
      this.cards.delete(element.id);
    const edge = this.edges.get(element.id);
    if (edge?.element !== element || document.getElementById(element.id)) return;
    this.edges.delete(element.id);
    for (const end of [edge.source, edge.target]) this.touching.get(end)?.delete(element.id);
  }
}

/** @param {Element} element @returns {Point} */
const positionOf = (element) => ({
  x: Number(element.getAttribute("data-x")),
  y: Number(element.getAttribute("data-y")),
});

/** @param {HTMLElement} element @returns {Card} */
function cardOf(element) {
  const card = { element, held: 0, ...positionOf(element) };
  if (!element.matches(".note")) return card;
  if (element.dataset.width) element.style.inlineSize = `${element.dataset.width}px`;
  return {
    ...card,
    get width() {
      return element.offsetWidth;
    },
    get height() {
      return element.offsetHeight;
    },
  };
}

/** @param {SVGGElement} element @returns {Edge} */
function edgeOf(element) {
  const [source, target] = ["data-source", "data-target"].map((name) => cardId(element.getAttribute(name) ?? ""));
  return { element, source, target, lines: [/** @type {Element} */ (element.querySelector(".line"))] };
}
