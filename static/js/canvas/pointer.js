// Turns pointer events on the canvas into gestures, one at a time.
import { load } from "../core/offline.js";
import { clearNotice } from "../core/notice.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./view.js").View} View */
/**
 * A gesture of a pressed pointer. `move` is called at most once per frame, and after the view has moved; `cancel`
 * undoes the gesture. With `carries`, the view pans at the edge of the window.
 * @typedef {{carries?: boolean, move(event: PointerEvent): void, drop(event: PointerEvent): void, cancel(): void,
 * tap?(event: PointerEvent): void}} Gesture
 */

const THRESHOLD = 4;

/**
 * Follow the pointers over a canvas. `choose` returns the gesture for a press; null pans.
 * @param {Canvas} canvas
 * @param {View} view
 * @param {(event: PointerEvent) => Gesture | null} choose
 */
export function followPointers(canvas, view, choose) {
  const { element } = canvas;
  /** @type {Map<number, PointerEvent>} */
  const pressed = new Map();
  /** @type {{gesture: Gesture, start: PointerEvent, last: PointerEvent, moving: boolean, frame: number} | null} */
  let active = null;
  let space = false;

  element.addEventListener("pointerdown", (event) => {
    if (event.button === 2 || isControl(event)) return;
    clearNotice();
    pressed.set(event.pointerId, event);
    view.measure();
    if (pressed.size === 2)
      return begin(event, whenLoaded(load(import("./pinch.js")).then(({ pinch }) => pinch(view, pressed))));
    if (pressed.size > 2) return;
    const byHand = space || event.button === 1;
    begin(event, (byHand ? null : choose(event)) ?? pan(canvas, view, event));
  });

  addEventListener("pointermove", (event) => {
    if (!pressed.has(event.pointerId)) return;
    pressed.set(event.pointerId, event);
    if (!active) return;
    active.last = event;
    if (!active.moving && isFar(active.start, event)) {
      active.moving = true;
      element.setPointerCapture(event.pointerId);
      const { gesture } = active;
      if (gesture.carries)
        load(import("./auto-pan.js")).then(({ autoPan }) =>
          autoPan(view, () => active?.gesture === gesture && active.last, scheduleMove),
        );
    }
    scheduleMove();
  });
  element.addEventListener("wheel", scheduleMove);
  // A drag in progress suppresses the context menu.
  element.addEventListener(
    "contextmenu",
    (event) => active?.moving && (event.preventDefault(), event.stopImmediatePropagation()),
  );

  addEventListener("pointerup", (event) => {
    if (!pressed.delete(event.pointerId) || !active) return;
    const { gesture, moving } = active;
    if (moving) gesture.move(event);
    end();
    if (moving) gesture.drop(event);
    else gesture.tap?.(event);
  });

  // The middle button pans; without this it would scroll by itself, or paste on some systems.
  for (const name of ["mousedown", "mouseup"])
    element.addEventListener(name, (event) => event.button === 1 && event.preventDefault());
  addEventListener("pointercancel", (event) => pressed.delete(event.pointerId) && cancel());
  addEventListener("blur", () => setSpace(false));
  addEventListener("keyup", (event) => event.code === "Space" && setSpace(false));
  addEventListener(
    "keydown",
    (event) => {
      if (event.code === "Space" && !isField(event.target)) setSpace(true);
      if (event.key !== "Escape" || !active) return;
      event.stopImmediatePropagation();
      cancel();
    },
    { capture: true },
  );

  /** @param {PointerEvent} event @param {Gesture} gesture */
  function begin(event, gesture) {
    cancel();
    active = { gesture, start: event, last: event, moving: pressed.size > 1, frame: 0 };
  }

  function scheduleMove() {
    if (active?.moving) active.frame ||= requestAnimationFrame(flush);
  }

  function flush() {
    if (!active) return;
    active.frame = 0;
    active.gesture.move(active.last);
  }

  function end() {
    if (active) cancelAnimationFrame(active.frame);
    active = null;
  }

  function cancel() {
    const gesture = active?.gesture;
    end();
    gesture?.cancel();
  }

  /** @param {boolean} held whether the space bar is held */
  function setSpace(held) {
    space = held;
    if (element.dataset.panning !== "pan") element.dataset.panning = held ? "ready" : "";
  }
}

/** Report whether keys belong to a field. @param {EventTarget | null} target */
export const isField = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select") || !!target.closest("dialog[open]"));

/** Report whether the target is a button or a link, except for ports. @param {Event} event */
const isControl = (event) => !!(/** @type {Element} */ (event.target).closest("button:not(.port), a, summary"));

/** @param {PointerEvent} a @param {PointerEvent} b */
const isFar = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) >= THRESHOLD;

/** @param {Canvas} canvas @param {View} view @param {PointerEvent} start @returns {Gesture} */
export function pan({ element }, view, start) {
  let before = start;
  const stop = () => (element.dataset.panning = "");
  return {
    move(event) {
      element.dataset.panning = "pan";
      view.pan(event.clientX - before.clientX, event.clientY - before.clientY);
      before = event;
    },
    drop: stop,
    cancel: stop,
  };
}

/**
 * A gesture that is still loading: its calls are repeated once it is loaded.
 * @param {Promise<Gesture>} coming
 * @returns {Gesture}
 */
export function whenLoaded(coming) {
  const forward = (name) => (event) => coming.then((gesture) => gesture[name]?.(event));
  return {
    carries: true,
    move: forward("move"),
    drop: forward("drop"),
    cancel: forward("cancel"),
    tap: forward("tap"),
  };
}
