// Draws the timeline of a conversation to scale: places its runs, every span and every handoff by their times.

import { moveByArrows } from "../../core/arrow-keys.js";

const LEAST = 3; // pixels: the width of the shortest span
const ROW = 30; // pixels: the height of a lane
const ASIDE = 14; // pixels of room at both ends
const TICK = 90; // smallest distance of ticks in pixels
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5];

let scale = 1; // 1: the whole conversation fits
let isWatching = false;

/** Draw each timeline that is loaded. */
export function watch() {
  const place = document.getElementById("timeline");
  if (isWatching || !place) return;
  isWatching = true;
  place.addEventListener("htmx:beforeSwap", remember);
  place.addEventListener("htmx:afterSwap", () => {
    draw();
    goOn();
  });
  new ResizeObserver(draw).observe(place);
  const order = (/** @type {HTMLElement[]} */ marks) => marks.sort((one, other) => seqOf(one) - seqOf(other));
  moveByArrows(place, { items: ".span, .passing", stop: ".lanes", order });
  place.addEventListener("click", (event) => {
    const how = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-scale]"))
      ?.dataset.scale;
    if (how) zoom(how === "fit" ? 1 : how === "in" ? scale * 2 : scale / 2);
  });
  place.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(scale * Math.exp(-event.deltaY / 300), event.clientX);
    },
    { passive: false },
  );
  place.addEventListener("keydown", ({ key }) => {
    const to = { "+": scale * 2, "=": scale * 2, "-": scale / 2, 1: 1 }[key];
    if (to) zoom(to);
  });
}

/** The number of the event of a mark. @param {HTMLElement} mark */
const seqOf = (mark) => Number(mark.dataset.seq);

/** Change the scale around the pointer. @param {number} to @param {number} [clientX] */
function zoom(to, clientX) {
  const scroll = /** @type {HTMLElement | null} */ (document.querySelector(".lanes__scroll"));
  if (!scroll) return;
  const box = scroll.getBoundingClientRect();
  const at = clientX === undefined ? box.width / 2 : clientX - box.left;
  const moment = (scroll.scrollLeft + at) / scale;
  scale = Math.min(400, Math.max(1, to));
  draw();
  scroll.scrollLeft = moment * scale - at;
}

/** The focused element and the moment at the left edge, kept during refreshes. */
let left = { focus: "", moment: 0 };

function remember() {
  const scroll = /** @type {HTMLElement | null} */ (document.querySelector(".lanes__scroll"));
  const field = /** @type {HTMLElement | null} */ (document.querySelector(".lanes__field"));
  const length = Number(/** @type {HTMLElement | null} */ (document.querySelector("#timeline .lanes"))?.dataset.length);
  left = {
    focus: wayTo(document.activeElement),
    moment: scroll && field ? (scroll.scrollLeft / field.offsetWidth) * length : 0,
  };
}

function goOn() {
  const scroll = /** @type {HTMLElement | null} */ (document.querySelector(".lanes__scroll"));
  const field = /** @type {HTMLElement | null} */ (document.querySelector(".lanes__field"));
  const length = Number(/** @type {HTMLElement | null} */ (document.querySelector("#timeline .lanes"))?.dataset.length);
  if (scroll && field && length) scroll.scrollLeft = (left.moment / length) * field.offsetWidth;
  if (left.focus)
    /** @type {HTMLElement | null} */ (document.querySelector(`#timeline ${left.focus}`))?.focus({
      preventScroll: true,
    });
}

/**
 * A selector that finds an element again after a refresh; "" outside of the timeline.
 * @param {Element | null} element
 */
function wayTo(element) {
  if (!(element instanceof HTMLElement) || !element.closest("#timeline")) return "";
  const { scale: how, seq, kind } = element.dataset;
  if (how) return `[data-scale="${how}"]`;
  if (seq) return kind ? `.span[data-seq="${seq}"][data-kind="${kind}"]` : `.passing[data-seq="${seq}"]`;
  return element.matches("select") ? "select" : ".lanes";
}

function draw() {
  const lanes = /** @type {HTMLElement | null} */ (document.querySelector("#timeline .lanes"));
  if (!lanes || !lanes.offsetWidth) return;
  const [scroll, field, runs, ticks] = [".lanes__scroll", ".lanes__field", ".lanes__runs", ".lanes__ticks"].map(
    (name) => /** @type {HTMLElement} */ (lanes.querySelector(name)),
  );
  const length = Number(lanes.dataset.length);
  const width = Math.max(200, scroll.clientWidth - 2 * ASIDE) * scale;
  const x = (milliseconds) => ASIDE + (width * milliseconds) / length;
  field.style.inlineSize = `${width + 2 * ASIDE}px`;
  for (const span of /** @type {NodeListOf<HTMLElement>} */ (field.querySelectorAll(".span"))) {
    const [begin, end] = [Number(span.dataset.begin), Number(span.dataset.end)];
    span.style.insetInlineStart = `${x(begin)}px`;
    span.style.inlineSize = `${Math.max(LEAST, x(end) - x(begin))}px`;
    span.toggleAttribute("data-small", x(end) - x(begin) < 44);
  }
  for (const run of /** @type {NodeListOf<HTMLElement>} */ (runs.querySelectorAll(".lanes__run"))) {
    const [begin, end] = [Number(run.dataset.begin), Number(run.dataset.end)];
    run.style.insetInlineStart = `${x(begin)}px`;
    run.style.inlineSize = `${Math.max(LEAST, x(end) - x(begin))}px`;
    run.toggleAttribute("data-small", !holdsName(x(end) - x(begin), run.title));
  }
  const head = runs.offsetHeight + ticks.offsetHeight;
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (field.querySelectorAll(".passing"))) {
    const [source, target] = [Number(one.dataset.source), Number(one.dataset.target)];
    one.style.insetInlineStart = `${x(Number(one.dataset.at))}px`;
    one.style.insetBlockStart = `${head + ROW * (Math.min(source, target) + 0.5)}px`;
    one.style.blockSize = `${Math.max(10, ROW * Math.abs(target - source))}px`;
    one.toggleAttribute("data-up", target < source);
  }
  ticks.replaceChildren(
    ...marks(length, width).map((at) => Object.assign(document.createElement("span"), { textContent: inWords(at) })),
  );
  for (const [index, mark] of [...ticks.children].entries())
    /** @type {HTMLElement} */ (mark).style.insetInlineStart = `${x(marks(length, width)[index])}px`;
}

/**
 * Report whether a run is wide enough for its number, with which its title begins: `Run 11-12 · Hello`.
 * @param {number} width
 * @param {string} title
 */
export const holdsName = (width, title) => width >= 14 + 8 * title.replace(/^Run (\S+).*$/s, "$1").length;

/** The times of the ticks. @param {number} length @param {number} width */
export function marks(length, width) {
  const step = STEPS.find((one) => (one * width) / length >= TICK) ?? Math.ceil(length / 4);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}

/** @param {number} milliseconds */
export function inWords(milliseconds) {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${milliseconds / 1000} s`;
  const [minutes, seconds] = [Math.floor(milliseconds / 60_000), Math.round((milliseconds % 60_000) / 1000)];
  return `${minutes}:${String(seconds).padStart(2, "0")} min`;
}
