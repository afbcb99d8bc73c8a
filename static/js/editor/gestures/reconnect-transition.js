// Moves one end of a transition to another stage: with the handles at its ends, or by key.
import { announce, notify } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";
import { choose, returnFocus } from "./choose-target.js";
import { edgePreview, stageAt } from "./edge-preview.js";

/** @typedef {import("../../canvas/canvas.js").Edge} Edge */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */
/** @typedef {"source" | "target"} End */

const INSET = 26; // pixels from the end of the edge, because a port lies at the end itself

/** Show handles at the ends of the edge that is hovered, focused or selected alone. @param {Page} page */
export function offerHandles({ canvas, selection, view }) {
  const { element, viewport } = canvas;
  let hovered = element.querySelector(".edge:hover")?.id ?? "";
  const handles = ["source", "target"].map((end) => {
    const handle = document.createElement("span");
    handle.className = "end-handle";
    handle.dataset.end = end;
    handle.hidden = true;
    return viewport.appendChild(handle);
  });

  function show() {
    const focused = document.activeElement?.closest(".edge")?.id;
    const selected = selection.ids.size === 1 ? [...selection.ids][0] : "";
    const id = [hovered, focused, selected].find((id) => canvas.edges.has(id ?? "")) ?? "";
    const line = /** @type {SVGPathElement | undefined} */ (canvas.edges.get(id)?.lines.at(-1));
    for (const handle of handles) place(handle, line, id, view.scale);
  }

  element.addEventListener("pointerover", ({ target, buttons }) => {
    const over = /** @type {Element} */ (target);
    if (buttons || over.closest(".end-handle")) return;
    hovered = over.closest(".edge")?.id ?? "";
    show();
  });
  element.addEventListener("pointerleave", () => {
    hovered = "";
    show();
  });
  element.addEventListener("pointerdown", ({ target }) => {
    if (/** @type {Element} */ (target).closest(".end-handle")) return;
    for (const handle of handles) handle.hidden = true;
  });
  for (const event of ["focusin", "focusout", "baton:drawn", "pointerup", "wheel"])
    element.addEventListener(event, () => requestAnimationFrame(show));
  const edges = /** @type {Element} */ (viewport.querySelector("#edges"));
  new MutationObserver(show).observe(edges, { subtree: true, attributeFilter: ["aria-current"] });
  show();
}

/**
 * Place a handle near its end of an edge, turned along the edge: on the side of the tip it can be hit up to the tip
 * (edges.css).
 * @param {HTMLElement} handle
 * @param {SVGPathElement | undefined} line
 * @param {string} id
 * @param {number} viewScale
 */
function place(handle, line, id, viewScale) {
  const length = line?.getTotalLength() ?? 0;
  handle.hidden = !length;
  if (!line || !length) return;
  const inset = Math.min(INSET, length / 4);
  const isSource = handle.dataset.end === "source";
  const { x, y } = line.getPointAtLength(isSource ? inset : length - inset);
  const tip = line.getPointAtLength(isSource ? 0 : length);
  const scale = Math.max(1, 1 / viewScale);
  const angle = Math.atan2(tip.y - y, tip.x - x);
  handle.style.transform = `translate(${x}px, ${y}px) rotate(${angle}rad) scale(${scale})`;
  handle.style.setProperty("--to-tip", `${Math.hypot(tip.x - x, tip.y - y) / scale}px`);
  handle.dataset.edge = id;
}

/**
 * Drag a handle.
 * @param {Page} page
 * @param {HTMLElement} handle
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function pullHandle(page, handle) {
  const { canvas, view } = page;
  const { edge: id = "", end } = /** @type {{edge?: string, end: End}} */ (handle.dataset);
  const { element, ...ends } = /** @type {Edge} */ (canvas.edges.get(id));
  const preview = edgePreview(canvas, ends[otherEnd(end)], end);
  const reset = () => {
    element.removeAttribute("data-leaving");
    handle.hidden = false;
    preview.remove();
  };
  return {
    move(event) {
      element.setAttribute("data-leaving", "");
      handle.hidden = true;
      preview.to(stageAt(canvas, view.at(event)) ?? view.at(event));
    },
    async drop(event) {
      await reconnect(page, id, end, stageAt(canvas, view.at(event)));
      reset();
    },
    cancel: reset,
    tap() {
      reset();
      page.selection.pick(id);
    },
  };
}

/** Ask by key for the new start or end of an edge. @param {Page} page @param {string} id @param {End} end */
export async function askForEnd(page, id, end) {
  const { canvas } = page;
  const { element, ...ends } = /** @type {Edge} */ (canvas.edges.get(id));
  const preview = edgePreview(canvas, ends[otherEnd(end)], end);
  const transition = `${canvas.phaseOf(ends.source)} → ${canvas.phaseOf(ends.target)}`;
  const what = `Moving the ${end === "source" ? "start" : "end"} of ${transition}`;
  element.setAttribute("data-leaving", "");
  const to = await choose(page, {
    among: new Map(canvas.stages),
    first: ends[end],
    show: preview.to,
    describe: (to) => (to === ends[end] ? `${what}.` : `${what} to ${canvas.phaseOf(to)}.`),
  });
  preview.remove();
  await reconnect(page, id, end, to);
  element.removeAttribute("data-leaving");
  if (!to) returnFocus(canvas, id);
}

/**
 * Connect an end of an edge to a card. Without a card the edge stays: a drag that ends too early deletes nothing.
 * @param {Page} page
 * @param {string} id
 * @param {End} end
 * @param {string | undefined} to
 */
async function reconnect({ canvas }, id, end, to) {
  const { source, target } = /** @type {Edge} */ (canvas.edges.get(id));
  const [from, onto] = end === "source" ? [to, target] : [source, to];
  if (!to || !from || !onto || (from === source && onto === target)) return announce("Not moved");
  const [a, b] = [canvas.phaseOf(from), canvas.phaseOf(onto)];
  if (canvas.edgeBetween(from, onto)) return notify(`${a} already leads to ${b}.`, "warning");
  const fields = { source: canvas.phaseOf(source), target: canvas.phaseOf(target), end, stage: canvas.phaseOf(to) };
  if (await submit("reconnect", fields)) announce(`${fields.source} → ${fields.target} is now ${a} → ${b}`);
}

/** @param {End} end @returns {End} */
const otherEnd = (end) => (end === "source" ? "target" : "source");
