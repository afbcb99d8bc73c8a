// Adding stages: at a point, at a free place in view, by button, or dragged out of the left panel.
import { ASIDE, HEIGHT, WIDTH, freePlace, holds } from "./geometry.js";
import { submit } from "./gestures.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./view.js").View} View */

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
 * The buttons with `data-add`: pressed, they add a stage; dragged onto the canvas, they add it there.
 * @param {Canvas} canvas
 * @param {View} view
 */
export function offerStages(canvas, view) {
  /** @type {{id: number, button: HTMLElement, ghost: HTMLElement | null} | null} */
  let dragged = null;
  let dropped = false;
  const stageOf = (button) => ({ kind: button.dataset.add, agent: button.dataset.agent });

  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-add]"));
    if (button && !dropped) addFreely(canvas, view, stageOf(button));
    dropped = false;
  });

  document.addEventListener("pointerdown", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".palette [data-add]"));
    dropped = false;
    if (button && event.button === 0 && event.pointerType !== "touch") dragged = { id: event.pointerId, button, ghost: null };
  });

  addEventListener("pointermove", (event) => {
    if (event.pointerId !== dragged?.id) return;
    dragged.ghost ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "carried" }));
    dragged.ghost.textContent = dragged.button.textContent;
    dragged.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
  });

  addEventListener("pointerup", (event) => {
    if (event.pointerId !== dragged?.id) return;
    view.measure();
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest("#canvas");
    dropped = dragged.ghost !== null && !dragged.button.contains(/** @type {Node} */ (event.target));
    if (over && dropped) addStage({ ...stageOf(dragged.button), ...centred(view.at(event)) });
    stop();
  });

  const stop = () => {
    dragged?.ghost?.remove();
    dragged = null;
  };
  addEventListener("pointercancel", stop);
  addEventListener("keydown", (event) => event.key === "Escape" && stop());
}

/** Whether the point lies on no card. @param {Canvas} canvas @param {{x: number, y: number}} point */
export const isBlank = (canvas, point) => ![...canvas.cards.values()].some((card) => holds(card, point));

/** The place of a card around a point. @param {{x: number, y: number}} point */
export const centred = ({ x, y }) => ({ x: x - WIDTH / 2, y: y - HEIGHT / 2 });
