// Draws a transition: from the port of a stage to another stage or to empty canvas, which adds a stage; or by key.
import { load } from "../../core/offline.js";
import { CANCEL, CHOOSING, hint } from "../../canvas/hint-bar.js";
import { HEIGHT, WIDTH, holds } from "../../canvas/geometry.js";
import { keepClear } from "../../canvas/keep-clear.js";
import { announce, notify } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";
import { cycleWithTab, whenLeft } from "./choose-target.js";
import { edgePreview, stageAt } from "./edge-preview.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

/**
 * Drag from the port of a stage.
 * @param {Page} page
 * @param {string} source the id of its card
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function pull(page, source) {
  const { canvas, view } = page;
  const preview = edgePreview(canvas, source);
  // The port overlaps the edge of its card: only a point well inside the card means the card itself.
  const target = (event) => stageAt(canvas, view.at(event), source);
  return {
    move: (event) => preview.to(target(event) ?? view.at(event)),
    async drop(event) {
      const [id, point] = [target(event), view.at(event)];
      if (id) await connect(page, source, id);
      else if (isOver(canvas, event) && !holds(canvas.cards.get(source) ?? point, point, 12)) {
        const { create } = await load(import("./create-stage.js"));
        await create(page, { x: point.x, y: point.y - HEIGHT / 2 }, canvas.phaseOf(source));
      }
      preview.remove();
      if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
    },
    cancel() {
      preview.remove();
      announce("Nothing connected");
    },
    tap: preview.remove,
  };
}

/**
 * Connect two stages, unless they are connected. The new transition is selected, with the focus in its condition.
 * @param {Page} page
 * @param {string} source
 * @param {string} target
 */
async function connect({ canvas, selection }, source, target) {
  const [from, to] = [canvas.phaseOf(source), canvas.phaseOf(target)];
  if (canvas.edgeBetween(source, target)) return notify(`${from} already leads to ${to}.`, "warning");
  const describing = load(import("../panels/focus-new.js"));
  const [stop, isElsewhere] = [new AbortController(), { now: false }];
  for (const input of ["pointerdown", "keydown"])
    addEventListener(input, () => (isElsewhere.now = true), { capture: true, signal: stop.signal });
  const isAccepted = await submit("connect", { source: from, target: to });
  stop.abort();
  if (!isAccepted) return;
  announce(`Connected ${from} → ${to}`);
  if (isElsewhere.now) return; // the person has gone on
  const subject = { kind: "transition", key: `${from}>${to}` };
  selection.set([canvas.edgeBetween(source, target) ?? ""]);
  selection.inspect(subject);
  (await describing).focusField(subject, "description");
}

/** Parts that start another gesture when they are pressed; a press on empty canvas pans. */
const OTHER_PARTS = ".port, .edge, .note, .frame, .supervisor";

/** True once the focus was at another stage: only then does Enter on the first stage connect it to itself. */
let hasMoved = false;

/**
 * Connect by key: from a stage to the next stage on which Enter is pressed or that is clicked. Ends when the focus
 * leaves
 * the canvas or another part is pressed.
 * @param {Page} page
 * @param {string} source
 */
export function beginConnecting(page, source) {
  const { canvas, view, connecting } = page;
  connecting.end();
  const listening = new AbortController();
  const { signal } = listening;
  const preview = edgePreview(canvas, source);
  const from = canvas.phaseOf(source);
  const { x, y } = /** @type {Point} */ (canvas.cards.get(source));
  const keys = /** @type {import("../../canvas/hint-bar.js").KeyHint[]} */ ([
    ...CHOOSING,
    ["Enter", "or a click connects"],
    ["a", "adds a new stage"],
    CANCEL,
  ]);
  let hideHint = () => {};
  const show = () => {
    const id = document.activeElement?.id ?? "";
    const to = canvas.phaseOf(id);
    if ((id === source && !hasMoved) || !to) return;
    preview.to(id);
    const isConnected = canvas.edgeBetween(source, id);
    const sentence = isConnected ? `${from} already leads to ${to}.` : `Connecting from ${from} to ${to}.`;
    hideHint = hint(sentence, keys);
    hasMoved = true;
  };
  hasMoved = false;
  keepClear(view);
  preview.to({ x: x + WIDTH + 64, y: y + HEIGHT / 2 });
  canvas.element.addEventListener("focusin", show, { signal });
  whenLeft(canvas, () => connecting.end(), signal);
  const chosen = () => document.activeElement?.closest(".stage")?.id ?? source;
  const focus = (id) => canvas.elementOf(id)?.focus({ preventScroll: true });
  cycleWithTab(() => canvas.stages, chosen, focus, signal);
  // Other letters would begin something else in the middle of this.
  const ignoreLetters = (event) =>
    /^[b-z]$/i.test(event.key) &&
    !(event.ctrlKey || event.metaKey || event.altKey) &&
    canvas.element.contains(event.target) &&
    event.stopImmediatePropagation();
  document.addEventListener("keydown", ignoreLetters, { capture: true, signal });
  const onPress = ({ target }) => /** @type {Element} */ (target).closest(OTHER_PARTS) && connecting.end();
  canvas.element.addEventListener("pointerdown", onPress, { signal });
  const onClick = (event) => stageOf(event) && completeConnecting(page, stageOf(event));
  canvas.element.addEventListener("click", onClick, { signal });
  canvas.element.dataset.connecting = connecting.source = source;
  canvas.elementOf(source)?.setAttribute("data-from", "");
  hideHint = hint(`Connecting from ${from}: choose a stage.`, keys);
  connecting.end = () => {
    connecting.source = "";
    connecting.end = () => {};
    listening.abort();
    delete canvas.element.dataset.connecting;
    canvas.elementOf(source)?.removeAttribute("data-from");
    hideHint();
    preview.remove();
  };
  const help = "Choose a stage with the arrows or Tab, connect with Enter, A adds a new one, Escape cancels.";
  announce(`Connecting from ${from}. ${help}`);
}

/** @param {Page} page @param {string} target */
export function completeConnecting(page, target) {
  const { connecting } = page;
  const { source } = connecting;
  if (target === source && !hasMoved) return announce("Choose a stage with the arrows or Tab first, Escape cancels.");
  connecting.end();
  return connect(page, source, target);
}

/** The id of the pressed stage; "" for its port. @param {Event} event */
function stageOf(event) {
  const target = /** @type {Element} */ (event.target);
  return target.closest(".port") ? "" : (target.closest(".stage")?.id ?? "");
}

/** Report whether a drag ended on the canvas, and not on a panel. @param {Canvas} canvas @param {PointerEvent} event */
const isOver = ({ element }, { clientX, clientY }) => element.contains(document.elementFromPoint(clientX, clientY));
