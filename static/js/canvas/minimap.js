// The minimap: the whole drawing, with the visible part as a rectangle. A press or an arrow key moves the rectangle.
import { HEIGHT, WIDTH, bounds, touches } from "./geometry.js";
import { keepClear } from "./keep-clear.js";
import { announce } from "../core/notice.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./view.js").View} View */

const AIR = 8; // around the drawing
const PAUSE = 300; // milliseconds between two drawings during a drag: each costs as much as a frame of the drag
const STEP = 0.15; // part of the window, for an arrow key
const LEAST = 1.6; // pixels: the size of the smallest card
const TOKENS = ["--soft", "--line", "--rim", "--signal"];
const LIT = '[data-live], [data-with-human], [data-working], [aria-current="true"]';
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @type {Minimap | undefined} */
let map;

/** Show or hide the minimap, and remember the choice. @param {{view: View}} page */
export function toggle({ view }) {
  const shown = !map;
  if (shown) show(view);
  else hide();
  try {
    localStorage.setItem("minimap", shown ? "1" : "");
  } catch {
    // Without storage the choice holds for this page only.
  }
  announce(shown ? "Minimap shown" : "Minimap hidden");
}

/** @param {View} view */
export function show(view) {
  map ??= new Minimap(view);
  keepClear(view);
}

function hide() {
  map?.end();
  map = undefined;
}

class Minimap {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.element = document.createElement("canvas");
    this.element.className = "minimap";
    this.element.tabIndex = 0;
    this.element.role = "application";
    this.element.ariaLabel = "Minimap: arrows move the window over the drawing";
    view.canvas.element.after(this.element);
    this.width = this.height = 0; // pixels of the window: the style sheet sets them
    this.image = document.createElement("canvas");
    this.waits = this.pause = 0;
    this.isStale = true; // whether the cards have changed, and not only the view
    this.colours = coloursOf(this.element);
    this.ending = new AbortController();
    this.#watch();
  }

  end() {
    this.ending.abort();
    cancelAnimationFrame(this.waits);
    clearTimeout(this.pause);
    if (this.element === document.activeElement) this.view.canvas.element.focus();
    this.element.remove();
  }

  /** Draw again when a visible part has changed. */
  #watch() {
    const { canvas } = this.view;
    const { signal } = this.ending;
    const watches = [
      new MutationObserver((records) =>
        records.some(({ target }) => target !== canvas.viewport) ? this.#later() : this.#soon(false),
      ),
      new MutationObserver(() => this.#recolour()),
      new ResizeObserver(() => this.#measure()),
    ];
    const attributes = ["style", "data-live", "data-with-human", "data-working", "aria-current"];
    watches[0].observe(canvas.viewport, { subtree: true, attributeFilter: attributes });
    watches[1].observe(document.documentElement, { attributeFilter: ["data-theme"] });
    watches[2].observe(canvas.element);
    watches[2].observe(this.element);
    signal.addEventListener("abort", () => watches.forEach((watch) => watch.disconnect()));
    canvas.element.addEventListener("baton:drawn", () => this.#soon(true), { signal });
    this.element.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    this.element.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /** During a drag, draw later: the drag must not wait for the map. */
  #later() {
    this.pause ||= setTimeout(() => {
      this.pause = 0;
      this.#soon(true);
    }, PAUSE);
  }

  /** @param {boolean} isStale */
  #soon(isStale) {
    this.isStale ||= isStale;
    this.waits ||= requestAnimationFrame(() => {
      this.waits = 0;
      this.#draw();
    });
  }

  #measure() {
    Object.assign(this, { width: this.element.clientWidth, height: this.element.clientHeight });
    this.#soon(true);
  }

  #recolour() {
    this.colours = coloursOf(this.element);
    this.#soon(true);
  }

  #draw() {
    if (!this.width) return;
    const pixels = devicePixelRatio || 1;
    const [width, height] = [this.width, this.height].map((length) => Math.round(length * pixels));
    if (this.element.width !== width || this.element.height !== height) {
      for (const sheet of [this.element, this.image]) Object.assign(sheet, { width, height });
      this.isStale = true;
    }
    if (this.isStale) this.#drawCards(pixels);
    this.isStale = false;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.element.getContext("2d"));
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.image, 0, 0);
    if (!this.scale) return;
    pen.scale(pixels, pixels);
    const { x, y, width: wide, height: tall } = this.#window();
    pen.strokeStyle = this.colours.of("--soft");
    pen.lineWidth = 1.25;
    pen.strokeRect(x, y, wide, tall);
    pen.setTransform(1, 0, 0, 1, 0, 0);
  }

  /**
   * Draw all cards on a separate sheet, which stays the same while the view moves.
   * @param {number} pixels of the screen in one pixel of the window
   */
  #drawCards(pixels) {
    const { canvas } = this.view;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.image.getContext("2d"));
    pen.setTransform(pixels, 0, 0, pixels, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const box = bounds(canvas.boxes);
    const [wideMap, tallMap] = [this.width - 2 * AIR, this.height - 2 * AIR];
    this.scale = box ? Math.min(wideMap / box.width, tallMap / box.height, 0.2) : 0;
    if (!box) return;
    this.x = this.width / 2 - (box.x + box.width / 2) * this.scale;
    this.y = this.height / 2 - (box.y + box.height / 2) * this.scale;
    this.colours.learn([...canvas.cards.values()].map(({ element }) => hueOf(element)).filter(Boolean));
    /** @type {Map<string, Path2D>} cards by colour; highlighted ones are drawn last */
    const paths = new Map();
    const lit = new Path2D();
    const [wide, tall] = [WIDTH, HEIGHT].map((length) => Math.max(LEAST, length * this.scale));
    for (const { element, x, y, width: own, height = 0 } of canvas.cards.values()) {
      const hue = own === undefined ? hueOf(element) : "";
      const colour = this.colours.of(own !== undefined ? "--line" : hue ? "--agent-spine" : "--rim", hue);
      const place = [
        x * this.scale + this.x,
        y * this.scale + this.y,
        own === undefined ? wide : own * this.scale,
        own === undefined ? tall : height * this.scale,
      ];
      if (!paths.has(colour)) paths.set(colour, new Path2D());
      (element.matches(LIT) ? lit : paths.get(colour)).rect(...place);
    }
    for (const [colour, path] of [...paths, [this.colours.of("--signal"), lit]]) {
      pen.fillStyle = colour;
      pen.fill(path);
    }
  }

  /** The rectangle of the view on the map, within its rim. @returns {Box} */
  #window() {
    const { view } = this;
    const { x, y } = view.middle;
    const [wide, tall] = [view.free.width / view.scale, view.free.height / view.scale];
    const within = (number, most) => Math.max(1, Math.min(most - 1, number));
    const [left, right] = [x - wide / 2, x + wide / 2].map((at) => within(at * this.scale + this.x, this.width));
    const [top, bottom] = [y - tall / 2, y + tall / 2].map((at) => within(at * this.scale + this.y, this.height));
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  /**
   * Move the view to the pressed point and along with the pointer; a press on the rectangle holds it there.
   * @param {PointerEvent} start
   */
  #press(start) {
    if (start.button || !this.scale) return;
    this.view.measure();
    const { left, top } = this.element.getBoundingClientRect();
    const at = ({ clientX, clientY }) => ({
      x: (clientX - left - this.x) / this.scale,
      y: (clientY - top - this.y) / this.scale,
    });
    const here = { x: start.clientX - left, y: start.clientY - top, width: 0, height: 0 };
    const { middle } = this.view;
    const begin = at(start);
    const held = touches(here, this.#window()) ? { x: middle.x - begin.x, y: middle.y - begin.y } : { x: 0, y: 0 };
    const move = (event) => {
      const { x, y } = at(event);
      this.#look({ x: x + held.x, y: y + held.y });
    };
    move(start);
    this.element.setPointerCapture(start.pointerId);
    const drag = new AbortController();
    const end = () => drag.abort();
    this.element.addEventListener("pointermove", move, { signal: drag.signal });
    for (const event of ["pointerup", "pointercancel"])
      this.element.addEventListener(event, end, { signal: drag.signal });
  }

  /** Centre the view on a point of the canvas. @param {Point} point */
  #look({ x, y }) {
    const { view } = this;
    view.show(view.centre.x - x * view.scale, view.centre.y - y * view.scale, view.scale);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { view } = this;
    const arrow = ARROWS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow) view.pan(arrow[0] * view.free.width * STEP, arrow[1] * view.free.height * STEP);
    else if (event.key === "m") toggle({ view });
    else if (event.key === "1" || event.key === "Home") view.fit();
    else if (event.key === "Escape") view.canvas.element.focus();
    else return;
    event.preventDefault();
  }
}

/** The hue of a stage's agent, or "". @param {HTMLElement} card */
const hueOf = (card) => card.firstElementChild?.getAttribute("data-hue") ?? "";

/** The colours of the design tokens: a <canvas> element does not know styles. @param {Element} parent */
function coloursOf(parent) {
  /** @type {Map<string, string>} */
  const known = new Map();
  const probeOf = ([token, hue]) => {
    const probe = document.createElement("i");
    if (hue) probe.dataset.hue = hue;
    probe.style.color = `var(${token})`;
    return [token + hue, probe];
  };
  return {
    of: (token, hue = "") => known.get(token + hue) ?? "",
    /** Read all unknown colours at once, because each reading computes styles. @param {string[]} hues */
    learn(hues) {
      const wanted = [
        ...TOKENS.map((token) => [token, ""]),
        ...[...new Set(hues)].map((hue) => ["--agent-spine", hue]),
      ];
      const probes = wanted.filter(([token, hue]) => !known.has(token + hue)).map(probeOf);
      parent.append(...probes.map(([, probe]) => probe));
      for (const [key, probe] of probes) known.set(key, getComputedStyle(probe).color);
      for (const [, probe] of probes) probe.remove();
    },
  };
}
