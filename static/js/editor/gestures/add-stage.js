// Adding stages: at a point, at a free place in view, by button, or dragged out of the left panel.
import { ASIDE, HEIGHT, WIDTH, freePlace, holds } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/view.js").View} View */

/** @param {{x: number, y: number, source?: string, kind?: string, agent?: string}} stage */
export const addStage = ({ x, y, source = "", kind = "agent", agent = "" }) =>
  submit(kind === "note" ? "add-note" : "add-stage", { x: Math.round(x), y: Math.round(y), source, kind, agent });

/**
 * Add a stage where it stands free: beside a card or, without one, in the middle of the view or to the right of that,
 * whichever is higher: in one column the edges would run behind the cards.
 * @param {Canvas} canvas
 * @param {View} view
 * @param {{kind?: string, agent?: string, source?: string, beside?: string}} [stage]
 */
export function addFreely(canvas, view, { beside, ...stage } = {}) {
  return addStage({ ...stage, ...freely(canvas, view, beside) });
}

/** The place where a new stage stands free. @param {Canvas} canvas @param {View} view @param {string} [beside] */
export function freely(canvas, view, beside = "") {
  const card = canvas.cards.get(beside);
  const { x, y } = card ?? centred(view.middle);
  const [place, other] = [x, x + ASIDE].map((x) => freePlace({ x, y }, canvas.cards.values()));
  return card || other.y < place.y ? other : place;
}

/**
 * The buttons with `data-add`: pressed, they add a stage. They and the agents of the left panel can be carried to the
 * canvas: what that does comes with the first of them.
 * @param {Canvas} canvas
 * @param {View} view
 */
export function offerStages(canvas, view) {
  /**
   * @type {{start: PointerEvent, button: HTMLElement, gesture?: Promise<import("../../canvas/pointer.js").Gesture>} |
   * null}
   */
  let held = null;
  let carried = false;

  document.addEventListener("click", ({ target }) => {
    const { add: kind, agent } = buttonAt(target, "[data-add]")?.dataset ?? {};
    if (kind && !carried) addFreely(canvas, view, { kind, agent });
    carried = false;
  });

  document.addEventListener("pointerdown", (start) => {
    const button = buttonAt(start.target, ".palette [data-add], #agents [data-key]");
    carried = false;
    if (button && start.button === 0 && start.pointerType !== "touch") held = { start, button };
  });

  addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.start.pointerId) return;
    const { start, button } = held;
    if (!held.gesture && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 4) return;
    held.gesture ??= import("./drag-from-panel.js").then(({ carry }) => carry({ canvas, view }, button));
    held.gesture.then(({ move }) => move(event));
  });

  /** @param {"drop" | "cancel"} how @param {any} event */
  const end = (how, event) => {
    held?.gesture?.then((gesture) => gesture[how](event));
    carried = !!held?.gesture && !held.button.contains(event.target);
    held = null;
  };
  addEventListener("pointerup", (event) => event.pointerId === held?.start.pointerId && end("drop", event));
  addEventListener("pointercancel", (event) => end("cancel", event));
  addEventListener("keydown", (event) => event.key === "Escape" && end("cancel", event));
}

/** @param {EventTarget | null} target @param {string} name a selector @returns {HTMLElement | null} */
const buttonAt = (target, name) => /** @type {Element} */ (target).closest(name);

/** Whether the point lies on no card. @param {Canvas} canvas @param {{x: number, y: number}} point */
export const isBlank = (canvas, point) => ![...canvas.cards.values()].some((card) => holds(card, point));

/** The place of a card around a point. @param {{x: number, y: number}} point */
export const centred = ({ x, y }) => ({ x: x - WIDTH / 2, y: y - HEIGHT / 2 });
