// The plugs of an edge: handles at its ends that can be dragged to another stage; and the same by key.
import { ask, comeBack } from "./choose-target.js";
import { ghostFrom, phaseOf, stageAt } from "./connect-stages.js";
import { submit } from "../submit-gesture.js";
import { announce, notify } from "../../core/notice.js";

/** @typedef {import("./gesture-start.js").Page} Page */
/** @typedef {"source" | "target"} End */

const FROM_END = 26; // a port lies at the end itself

/** Show plugs at the ends of the edge that is pointed at, in focus, or selected alone. @param {Page} page */
export function offerPlugs(page) {
  const { canvas, selection, view } = page;
  const { element, viewport } = canvas;
  let pointed = "";
  const plugs = ["source", "target"].map((end) => {
    const plug = document.createElement("span");
    plug.className = "plug";
    plug.dataset.end = end;
    plug.hidden = true;
    return viewport.appendChild(plug);
  });

  function show() {
    const focused = document.activeElement?.closest(".edge")?.id;
    const id =
      [pointed, focused, selection.ids.size === 1 ? [...selection.ids][0] : ""].find((id) =>
        canvas.edges.has(id ?? ""),
      ) ?? "";
    const line = /** @type {SVGPathElement | undefined} */ (canvas.edges.get(id)?.lines.at(-1));
    const length = line?.getTotalLength() ?? 0;
    for (const plug of plugs) {
      plug.hidden = !length;
      if (!line || !length) continue;
      const inset = Math.min(FROM_END, length / 4);
      const isSource = plug.dataset.end === "source";
      const { x, y } = line.getPointAtLength(isSource ? inset : length - inset);
      // It is turned along the edge: to the side of the tip it is hit up to there (edges.css).
      const tip = line.getPointAtLength(isSource ? 0 : length);
      const scale = Math.max(1, 1 / view.scale);
      plug.style.transform = `translate(${x}px, ${y}px) rotate(${Math.atan2(tip.y - y, tip.x - x)}rad) scale(${scale})`;
      plug.style.setProperty("--to-tip", `${Math.hypot(tip.x - x, tip.y - y) / scale}px`);
      plug.dataset.edge = id;
    }
  }

  element.addEventListener("pointerover", ({ target, buttons }) => {
    const over = /** @type {Element} */ (target);
    if (buttons || over.closest(".plug")) return;
    pointed = over.closest(".edge")?.id ?? "";
    show();
  });
  element.addEventListener("pointerleave", () => {
    pointed = "";
    show();
  });
  element.addEventListener("pointerdown", ({ target }) => {
    if (/** @type {Element} */ (target).closest(".plug")) return;
    for (const plug of plugs) plug.hidden = true;
  });
  for (const event of ["focusin", "focusout", "baton:drawn", "pointerup", "wheel"])
    element.addEventListener(event, () => requestAnimationFrame(show));
  new MutationObserver(show).observe(/** @type {Element} */ (viewport.querySelector("#edges")), {
    subtree: true,
    attributeFilter: ["aria-current"],
  });
  pointed = element.querySelector(".edge:hover")?.id ?? "";
  show();
}

/** Drag a plug. @param {Page} page @param {HTMLElement} plug @returns {import("../../canvas/pointer.js").Gesture} */
export function pullPlug(page, plug) {
  const { canvas, view } = page;
  const { edge: id = "", end } = /** @type {{edge?: string, end: End}} */ (plug.dataset);
  const { element, ...ends } = /** @type {import("../../canvas/canvas.js").Edge} */ (canvas.edges.get(id));
  const ghost = ghostFrom(canvas, ends[otherOf(end)], end);
  const back = () => {
    element.removeAttribute("data-leaving");
    plug.hidden = false;
    ghost.gone();
  };
  return {
    move(event) {
      element.setAttribute("data-leaving", "");
      plug.hidden = true;
      ghost.to(stageAt(canvas, view.at(event)) ?? view.at(event));
    },
    async drop(event) {
      await moveEnd(page, id, end, stageAt(canvas, view.at(event)));
      back();
    },
    cancel: back,
    tap() {
      back();
      page.selection.pick(id);
    },
  };
}

/** Ask by key where an edge is to begin or lead. @param {Page} page @param {string} id @param {End} end */
export async function askForEnd(page, id, end) {
  const { canvas } = page;
  const { element, ...ends } = /** @type {import("../../canvas/canvas.js").Edge} */ (canvas.edges.get(id));
  const ghost = ghostFrom(canvas, ends[otherOf(end)], end);
  element.setAttribute("data-leaving", "");
  const to = await ask(page, {
    among: new Map(canvas.stages),
    first: ends[end],
    show: ghost.to,
    says: (to) =>
      `Moving the ${end === "source" ? "start" : "end"} of ${phaseOf(canvas, ends.source)} → ${phaseOf(canvas, ends.target)}${to === ends[end] ? "" : ` to ${phaseOf(canvas, to)}`}.`,
  });
  ghost.gone();
  await moveEnd(page, id, end, to);
  element.removeAttribute("data-leaving");
  if (!to) comeBack(canvas, id);
}

/** Let an edge begin at or lead to a card. Without one it stays: nothing is lost by a hand that lets go too early. */
async function moveEnd({ canvas }, id, end, to) {
  const { source, target } = /** @type {import("../../canvas/canvas.js").Edge} */ (canvas.edges.get(id));
  const [from, onto] = end === "source" ? [to, target] : [source, to];
  if (!to || (from === source && onto === target)) return announce("Left where it was");
  const [a, b] = [phaseOf(canvas, from), phaseOf(canvas, onto)];
  if (canvas.edgeBetween(from, onto)) return notify(`${a} already leads to ${b}.`, "warning");
  const fields = { source: phaseOf(canvas, source), target: phaseOf(canvas, target), end, stage: phaseOf(canvas, to) };
  if (await submit("plug", fields)) announce(`${fields.source} → ${fields.target} is ${a} → ${b} now`);
}

/** @param {End} end @returns {End} */
const otherOf = (end) => (end === "source" ? "target" : "source");
