// Splicing: a stage comes to stand in a transition, between its two ends.
import { ask, comeBack } from "./choose-target.js";
import { phaseOf } from "./connect-stages.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";
import { AIR, nearestPlace } from "./free-place.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/geometry.js").Point} Point */

/**
 * Put a stage into an edge.
 * @param {Canvas} canvas
 * @param {string} stage the id of its card
 * @param {string} edge
 * @param {Point | undefined} [place] where it is to stand
 */
export async function splice(canvas, stage, edge, place) {
  const { source = "", target = "" } = canvas.edges.get(edge) ?? {};
  const [phase, from, to] = [stage, source, target].map((id) => phaseOf(canvas, id));
  const others = [...canvas.cards].filter(([id]) => id !== stage).map(([, card]) => card);
  const { x = "", y = "" } = place ? nearestPlace(place, others, AIR) : {};
  const accepted = await submit("splice", { stage: phase, source: from, target: to, x, y });
  if (accepted) announce(`Inserted ${phase} between ${from} and ${to}`);
  return accepted;
}

/** The edges that a stage does not touch: it can come to stand in each. @param {Canvas} canvas @param {string} stage */
export function edgesFor(canvas, stage) {
  return new Map(
    [...canvas.edges]
      .filter(([, { source, target }]) => source !== stage && target !== stage)
      .flatMap(([id, { source, target }]) => {
        const [a, b] = [canvas.cards.get(source), canvas.cards.get(target)];
        return a && b ? [[id, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }]] : [];
      }),
  );
}

/**
 * Mark an edge as the one into which a stage would be put, and the stages at its ends: it may lie under the card.
 * @param {Canvas} canvas
 * @param {string} id
 * @param {boolean} marked
 */
export function markSplice(canvas, id, marked) {
  const edge = canvas.edges.get(id);
  edge?.element.toggleAttribute("data-splice", marked);
  for (const end of [edge?.source ?? "", edge?.target ?? ""])
    canvas.cards.get(end)?.element.toggleAttribute("data-target", marked);
}

/**
 * Ask by key into which edge a stage is to be put; the nearest is offered first.
 * @param {import("./gesture-start.js").Page} page
 * @param {string} stage
 */
export async function askForEdge(page, stage) {
  const { canvas } = page;
  const card = /** @type {Point} */ (canvas.cards.get(stage));
  const among = edgesFor(canvas, stage);
  const far = (id) => Math.hypot((among.get(id)?.x ?? 0) - card.x, (among.get(id)?.y ?? 0) - card.y);
  const [first] = [...among.keys()].sort((a, b) => far(a) - far(b));
  if (!first) return announce("There is no transition to insert it into");
  let marked = "";
  const show = (id) => {
    markSplice(canvas, marked, false);
    markSplice(canvas, (marked = id), true);
  };
  const says = (id) =>
    `Inserting ${phaseOf(canvas, stage)} between ${phaseOf(canvas, canvas.edges.get(id)?.source ?? "")} and ${phaseOf(canvas, canvas.edges.get(id)?.target ?? "")}.`;
  const edge = await ask(page, { among, first, show, says });
  show("");
  if (edge) await splice(canvas, stage, edge);
  comeBack(canvas, stage);
}
