// Connecting stages: from a port to a stage, or to blank paper, where a new stage comes to be; and by key.
import { goRound, whenLeft } from "./choose-target.js";
import { keepClear } from "../../canvas/keep-clear.js";
import { holds, looseRoute, route, WIDTH, HEIGHT } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";
import { CANCEL, CHOOSING, hint } from "../../canvas/hint-bar.js";
import { announce, notify } from "../../core/notice.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("./gesture-start.js").Page} Page */

/**
 * Drag from the port of a stage.
 * @param {Page} page
 * @param {string} source the id of its card
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function pull(page, source) {
  const { canvas, view } = page;
  const ghost = ghostFrom(canvas, source);
  // The port lies on its card's edge: only well inside the card one means the card itself.
  const target = (event) => stageAt(canvas, view.at(event), source);
  return {
    move: (event) => ghost.to(target(event) ?? view.at(event)),
    async drop(event) {
      const [id, point] = [target(event), view.at(event)];
      if (id) await connect(canvas, source, id);
      else if (isOver(canvas, event) && !holds(canvas.cards.get(source) ?? point, point, 12)) {
        const { grow } = await import("./create-stage.js");
        await grow(page, { x: point.x, y: point.y - HEIGHT / 2 }, phaseOf(canvas, source));
      }
      ghost.gone();
      if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
    },
    cancel() {
      ghost.gone();
      announce("Nothing connected");
    },
    tap: ghost.gone,
  };
}

/**
 * Connect two stages, if they can be.
 * @param {Canvas} canvas
 * @param {string} source
 * @param {string} target
 */
async function connect(canvas, source, target) {
  const [from, to] = [phaseOf(canvas, source), phaseOf(canvas, target)];
  if (canvas.edgeBetween(source, target)) return notify(`${from} already leads to ${to}.`, "warning");
  if (await submit("connect", { source: from, target: to })) announce(`Connected ${from} → ${to}`);
}

/** What begins something else when it is pressed; paper is panned. */
const OTHERS = ".port, .edge, .note, .frame, .supervisor";

/** Whether someone who connects by key has been at another stage: only then do they mean the one where they began. */
let left = false;

/**
 * Connect by key: from a stage to the next one that Enter is pressed on, or that is clicked. It is over once the focus
 * leaves the canvas, or something else there is pressed.
 * @param {Page} page
 * @param {string} source
 */
export function beginConnecting(page, source) {
  const { canvas, view, connecting } = page;
  connecting.end();
  const heard = new AbortController();
  const { signal } = heard;
  const ghost = ghostFrom(canvas, source);
  const from = phaseOf(canvas, source);
  const { x, y } = /** @type {Point} */ (canvas.cards.get(source));
  let done = () => {};
  const say = (what) =>
    (done = hint(what, [...CHOOSING, ["Enter", "or a click connects"], ["a", "adds a new stage"], CANCEL]));
  const show = () => {
    const focused = document.activeElement?.id ?? "";
    if ((focused === source && !left) || !phaseOf(canvas, focused)) return;
    const to = phaseOf(canvas, focused);
    ghost.to(focused);
    say(canvas.edgeBetween(source, focused) ? `${from} already leads to ${to}.` : `Connecting from ${from} to ${to}.`);
    left = true;
  };
  left = false;
  keepClear(view);
  ghost.to({ x: x + WIDTH + 64, y: y + HEIGHT / 2 });
  canvas.element.addEventListener("focusin", show, { signal });
  whenLeft(canvas, () => connecting.end(), signal);
  const chosen = () => document.activeElement?.closest(".stage")?.id ?? source;
  goRound(
    () => canvas.stages,
    chosen,
    (id) => canvas.elementOf(id)?.focus({ preventScroll: true }),
    signal,
  );
  canvas.element.addEventListener(
    "pointerdown",
    ({ target }) => /** @type {Element} */ (target).closest(OTHERS) && connecting.end(),
    { signal },
  );
  canvas.element.addEventListener("click", (event) => stageOf(event) && completeConnecting(page, stageOf(event)), {
    signal,
  });
  canvas.element.dataset.connecting = connecting.source = source;
  canvas.elementOf(source)?.setAttribute("data-from", "");
  say(`Connecting from ${from}.`);
  connecting.end = () => {
    connecting.source = "";
    connecting.end = () => {};
    heard.abort();
    delete canvas.element.dataset.connecting;
    canvas.elementOf(source)?.removeAttribute("data-from");
    done();
    ghost.gone();
  };
  announce(
    `Connecting from ${from}. Choose a stage with the arrows or Tab, connect with Enter, A adds a new one, Escape cancels.`,
  );
}

/** @param {Page} page @param {string} target */
export function completeConnecting({ canvas, connecting }, target) {
  const { source } = connecting;
  if (target === source && !left) return announce("Choose a stage with the arrows or Tab first, Escape cancels.");
  connecting.end();
  return connect(canvas, source, target);
}

/** The stage that is pressed, but for its port. @param {Event} event */
const stageOf = ({ target }) =>
  /** @type {Element} */ (target).closest(".port") ? "" : (/** @type {Element} */ (target).closest(".stage")?.id ?? "");

/**
 * The line that is not there yet, between a stage and wherever one points.
 * @param {Canvas} canvas
 * @param {string} fixed the card where it begins or, with `end` "source", ends
 * @param {"source" | "target"} [end] the one that moves
 */
export function ghostFrom(canvas, fixed, end = "target") {
  const line = /** @type {SVGPathElement} */ (canvas.viewport.querySelector(".ghost"));
  const way = (from, to) => (end === "target" ? [from, to] : [to, from]);
  /** @type {HTMLElement | undefined} */
  let marked;
  const mark = (element) => {
    marked?.removeAttribute("data-target");
    element?.setAttribute("data-target", "");
    marked = element;
  };
  return {
    /** @param {string | Point} to a card's id, or a point */
    to(to) {
      const from = canvas.cards.get(fixed);
      const card = typeof to === "string" ? canvas.cards.get(to) : undefined;
      if (!from) return;
      const [a, b] = way(from, card ?? /** @type {Point} */ (to));
      line.setAttribute(
        "d",
        card
          ? route(a, b).d
          : end === "target"
            ? looseRoute(a, b)
            : looseRoute({ x: a.x - WIDTH, y: a.y - HEIGHT / 2 }, { x: b.x, y: b.y + HEIGHT / 2 }),
      );
      line.removeAttribute("hidden");
      const [source, target] = way(fixed, /** @type {string} */ (to));
      mark(card && !canvas.edgeBetween(source, target) ? card.element : undefined);
    },
    gone() {
      line.setAttribute("hidden", "");
      mark(undefined);
    },
  };
}

/**
 * Whether a drag ended on the canvas, and not on a panel beside it.
 * @param {Canvas} canvas
 * @param {PointerEvent} event
 */
const isOver = ({ element }, { clientX, clientY }) => element.contains(document.elementFromPoint(clientX, clientY));

/**
 * The stage under a point, or just beside it; of `self` only well inside.
 * @param {Canvas} canvas
 * @param {Point} point
 * @param {string} [self]
 */
export const stageAt = (canvas, point, self) =>
  canvas.stages.find(([id, card]) => holds(card, point, id === self ? -24 : 12))?.[0];

/** @param {Canvas} canvas @param {string} id */
export const phaseOf = (canvas, id) => canvas.cards.get(id)?.element.dataset.phase ?? "";
