// The view of the canvas: its position and its scale, kept for each pipeline while the tab is open.
import { load } from "../core/offline.js";
import { HEIGHT, WIDTH, bounds, freeArea } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */

const [NEAREST, FARTHEST] = [2, 0.008];
// Below these scales, the names of stages, the names of agents, the pictures of agents, and details are hidden:
// zoom-levels.css.
const LEVELS = /** @type {const} */ ({ colours: 0.295, phases: 0.415, names: 0.595, titles: 0.895 });
const LABELS = 0.495; // below this scale, labels of transitions are hidden
export const MARGIN = 32;
const BAR = 36; // the bar at the lower edge
const STEP = 1.2;
const [SMALL, LEAST, READABLE, EDGE] = [600, 0.4, 0.6, 6];
const FLOATING = ".floating > :is(.left,.right,.bottom)";
const NARROW = 900; // pixels: in narrower windows panels are sheets
const [MANY, WIDE] = [60, 700]; // with more cards and a wider window, the minimap is shown by default

export class View {
  /** @param {import("./canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    [this.x, this.y, this.scale] = [0, 0, 1];
    // `refit` repeats the last fit after a resize, until a person moves the view; `aside` keeps a revealed card clear
    // of the
    // elements over the canvas (keep-clear.js). Both are undefined at first.
    this.background = /** @type {HTMLElement} */ (canvas.element.querySelector(".canvas__background"));
    this.output = document.querySelector(".zoom__scale");
    this.key = `view:${canvas.element.dataset.pipeline}`;
    this.measure();
    canvas.element.dataset.ready = ""; // before the first fit: a hidden element has no size
    if (!this.#restore()) {
      this.#begin();
      // frames come after the first picture, and extend beyond their stages
      canvas.framed?.then(() => this.refit?.());
    }

    this.#offerMap();
    new ResizeObserver(() => this.#resized()).observe(canvas.element);
    addEventListener("pagehide", () => this.#keep());
    canvas.element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    document.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("[data-view]");
      if (button) this.command(/** @type {HTMLElement} */ (button).dataset.view ?? "");
    });
  }

  /** Measure the visible part of the canvas: when it changes and when a gesture begins, never during a gesture. */
  measure() {
    const { left, top, width, bottom } = this.canvas.element.getBoundingClientRect();
    const sheet = document
      .querySelector(`.workbench > .${document.body.dataset.sheet || "none"}`)
      ?.getBoundingClientRect();
    const covered = sheet && sheet.left < left + width && sheet.right > left ? sheet.top : bottom;
    const isFloating = document.body.matches(".floating") && width > NARROW;
    this.window = {
      x: left,
      y: top,
      width,
      height: (covered - top > HEIGHT ? Math.min(bottom, covered) : bottom) - top - (isFloating ? 0 : BAR),
    };
    const panels = document.querySelectorAll(isFloating ? FLOATING : "none");
    /** The part of the window between the panels; a fitted drawing is within it. @type {Box} */
    this.free = freeArea(
      this.window,
      Array.from(panels, (panel) => panel.getBoundingClientRect()),
    );
  }

  /** Adapt to another size: repeat the last fit, or keep the drawing in place. */
  #resized() {
    const { x, y, width, height } = this.window;
    this.measure();
    if (this.window.width === width && this.window.height === height) return;
    if (this.refit) this.refit();
    else this.pan(x - this.window.x, y - this.window.y);
  }

  /**
   * The point of the canvas at a point of the window.
   * @param {{clientX: number, clientY: number}} event
   * @returns {Point}
   */
  at({ clientX, clientY }) {
    return { x: (clientX - this.window.x - this.x) / this.scale, y: (clientY - this.window.y - this.y) / this.scale };
  }

  /** The middle of the free part of the window, relative to the window. @returns {Point} */
  get centre() {
    const { x, width, height } = this.free;
    return { x: x + width / 2, y: height / 2 };
  }

  /** The point of the canvas in the middle of the free part of the window. */
  get middle() {
    const { x, y } = this.centre;
    return { x: (x - this.x) / this.scale, y: (y - this.y) / this.scale };
  }

  /** @param {string} command */
  command(command) {
    const centre = { clientX: this.window.x + this.centre.x, clientY: this.window.y + this.centre.y };
    const scale = { in: this.scale * STEP, out: this.scale / STEP, actual: 1 }[command];
    if (scale) this.zoom(scale, centre);
    else this.fit();
  }

  /**
   * @param {number} dx
   * @param {number} dy in pixels of the window
   * @param {() => void} [refit] for a move that is not a person's own
   */
  pan(dx, dy, refit) {
    this.#offerReturn();
    this.show(this.x + dx, this.y + dy, this.scale);
    this.refit = refit;
  }

  /** Pan as part of a continuous movement. @param {number} dx @param {number} dy */
  roll(dx, dy) {
    const { dataset } = this.canvas.element;
    clearTimeout(this.rolls);
    this.rolls = setTimeout(() => delete dataset.rolls, 200);
    dataset.rolls = "";
    this.pan(dx, dy);
  }

  /** Zoom around a point of the window. @param {number} scale @param {{clientX: number, clientY: number}} at */
  zoom(scale, at) {
    const [x, y] = [at.clientX - this.window.x, at.clientY - this.window.y];
    const next = Math.min(NEAREST, Math.max(FARTHEST, scale));
    const ratio = next / this.scale;
    this.#offerReturn();
    this.show(x - (x - this.x) * ratio, y - (y - this.y) * ratio, next);
  }

  /** Fit everything, or some boxes, into the view, at most at full size. @param {Iterable<Point | Box>} [boxes] */
  fit(boxes) {
    this.measure();
    const box = bounds(boxes ?? this.canvas.boxes) ?? { x: 0, y: 0, width: 0, height: 0 };
    // Titles of frames and labels are above the uppermost cards.
    if (!boxes) [box.y, box.height] = [box.y - 40, box.height + 40];
    const { width, height } = this.free;
    const scale = Math.max(FARTHEST, Math.min(1, (width - 2 * MARGIN) / box.width, (height - 2 * MARGIN) / box.height));
    this.centreOn(box, scale);
    if (!boxes) this.refit = () => this.fit();
  }

  #begin() {
    this.#first();
    this.refit = () => this.#begin();
  }

  /** Show everything or, in a window too small for that, the entry stage at a readable scale. */
  #first() {
    this.fit();
    const entry =
      this.canvas.element.querySelector(".stage[data-entry]") ?? this.canvas.element.querySelector(".stage");
    const card = this.canvas.cards.get(entry?.id ?? "");
    const { width, height } = this.window;
    if (!card || this.scale >= LEAST || width > SMALL) return;
    // Choose the scale at which the edge of the window cuts the fewest cards, as large as possible.
    const place = (at, scale) => [MARGIN + (at.x - card.x) * scale, height / 3 + (at.y - card.y) * scale];
    const isCut = (at, scale) => {
      const [x, y] = place(at, scale);
      const [right, bottom] = [x + WIDTH * scale, y + HEIGHT * scale];
      const isSeen = right > 0 && x < width && bottom > 0 && y < height;
      return isSeen && (x < EDGE || y < EDGE || right > width - EDGE || bottom > height);
    };
    let [best, fewest] = [LEAST, Infinity];
    for (let scale = LEAST; scale <= READABLE; scale += 0.01) {
      const cut = [...this.canvas.cards.values()].filter((at) => isCut(at, scale)).length;
      if (cut <= fewest) [best, fewest] = [scale, cut];
    }
    this.show(...place({ x: 0, y: 0 }, best), best);
  }

  /** Show a box in the middle of the free part of the window. @param {Box} box @param {number} scale */
  centreOn(box, scale) {
    const { x, y } = this.centre;
    this.show(x - (box.x + box.width / 2) * scale, y - (box.y + box.height / 2) * scale, scale);
  }

  /** Pan as little as possible until a card is visible. @param {Point} [card] */
  reveal(card) {
    if (!card) return;
    this.measure();
    const { x, width, height } = this.free;
    const inset = Math.min(MARGIN - 2, width / 10); // a fitted drawing stays as it is
    const [left, top] = [card.x * this.scale + this.x - x, card.y * this.scale + this.y];
    const dx = Math.max(inset - left, Math.min(0, width - inset - left - WIDTH * this.scale));
    const dy = Math.max(inset - top, Math.min(0, height - inset - top - HEIGHT * this.scale));
    if (dx || dy) this.pan(dx, dy, this.refit);
    this.aside?.(card);
  }

  /** @param {number} x @param {number} y @param {number} scale */
  show(x, y, scale) {
    this.refit = undefined;
    [this.x, this.y] = [Math.round(x), Math.round(y)];
    const { style } = this.background;
    const dots = 24 * scale * 3 ** Math.max(0, Math.ceil(-Math.log(scale * 2) / Math.log(3)));
    this.canvas.viewport.style.transform = `translate(${this.x}px, ${this.y}px) scale(${scale})`;
    style.backgroundPosition = `${this.x}px ${this.y}px`;
    if (scale === this.scale && style.backgroundSize) return;
    this.scale = scale;
    style.backgroundSize = `${dots}px ${dots}px`;
    const { dataset } = this.canvas.element;
    const before = dataset.far + dataset.unlabelled;
    const level = Object.keys(LEVELS).find((name) => scale < LEVELS[name]);
    if (level) dataset.far = level;
    else delete dataset.far;
    this.canvas.element.toggleAttribute("data-unlabelled", scale < LABELS);
    if (before !== dataset.far + dataset.unlabelled) this.canvas.edgeDrawing?.changeLevel();
    if (this.output) this.output.textContent = `${Math.round(scale * 100)} %`;
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      this.measure();
      this.zoom(this.scale * Math.exp(-Math.max(-50, Math.min(50, event.deltaY * unit)) / 180), event);
    } else if (event.shiftKey && !event.deltaX) this.roll(-event.deltaY * unit, 0);
    else this.roll(-event.deltaX * unit, -event.deltaY * unit);
  }

  /** Offer the button that returns to a drawing out of view: from the first move on. */
  #offerReturn() {
    this.returning ??= load(import("./return-button.js")).then(
      ({ offerReturn }) => offerReturn(this),
      () => (this.returning = undefined),
    );
  }

  /** Show the minimap by choice or, without one, for a large drawing in a large window. */
  #offerMap() {
    if (!(localStorage.minimap ?? (this.canvas.cards.size > MANY && innerWidth >= WIDE))) return;
    // after the drawing itself
    (globalThis.requestIdleCallback ?? setTimeout)(async () => (await load(import("./minimap.js"))).show(this));
  }

  /** The size of the window: a fit is kept for the same size only. */
  get #room() {
    return this.window.width + this.window.height;
  }

  #keep() {
    const [x, y] = [(this.window.width / 2 - this.x) / this.scale, (this.window.height / 2 - this.y) / this.scale];
    sessionStorage[this.key] = JSON.stringify([x, y, this.scale, this.refit && this.#room]);
  }

  #restore() {
    try {
      const [x, y, scale, room] = JSON.parse(sessionStorage[this.key]);
      // fitted into a window of another size
      if ((room && room !== this.#room) || ![x, y, scale].every(Number.isFinite)) return false;
      this.show(this.window.width / 2 - x * scale, this.window.height / 2 - y * scale, scale);
      if (room) this.refit = () => this.#begin();
      else this.#offerReturn();
      return true;
    } catch {
      return false;
    }
  }
}
