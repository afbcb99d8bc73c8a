// Growing the pipeline where one points: asks what is to be created, and creates it, connected or within a transition.
import { ghostFrom, phaseOf } from "./connect-stages.js";
import { cardId } from "../../canvas/canvas.js";
import { HEIGHT, WIDTH } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";
import { typeAhead } from "../../canvas/commands/keys.js";
import { announce } from "../../core/notice.js";
import { pick } from "./stage-picker.js";
import { AIR, nearestPlace } from "./free-place.js";
import { nameNext } from "../annotations/inline-editing.js";

/** @typedef {import("./gesture-start.js").Page} Page */

/**
 * Ask what is to be created, and create it.
 * @param {Page} page
 * @param {import("../../canvas/geometry.js").Point} place of its card
 * @param {string} [source] the phase that is to lead to it
 * @param {string} [target] the phase that it is to lead to, in place of `source`
 */
export async function grow(page, place, source = "", target = "") {
  const { canvas, view } = page;
  const ghost = ghostFrom(canvas, cardId(source));
  if (!target) ghost.to({ x: place.x, y: place.y + HEIGHT / 2 });
  view.measure();
  const choice = await pick({
    clientX: view.window.x + view.x + place.x * view.scale,
    clientY: view.window.y + view.y + (place.y + HEIGHT / 2) * view.scale,
  });
  const [x, y] = [Math.round(place.x), Math.round(place.y)];
  if (!choice) announce("Nothing created");
  else {
    const coming = submit("create", { x, y, source, target, ...choice });
    // Called by its agent it has a name that tells something already.
    const naming = choice.name || choice.agent ? coming : typeAhead(nameNext(page, coming));
    const where = target ? ` between ${source} and ${target}` : source && ` after ${source}`;
    if (await coming) announce(`Created a stage${where}`);
    await naming;
  }
  ghost.gone();
}

/** Within a transition, in the middle if it is free there. @param {Page} page @param {string} id of the edge */
export function growWithin(page, id) {
  const { canvas } = page;
  const edge = canvas.edges.get(id);
  const [a, b] = [canvas.cards.get(edge?.source ?? ""), canvas.cards.get(edge?.target ?? "")];
  if (!edge || !a || !b) return;
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const beside = edge.source === edge.target ? { x: a.x + WIDTH, y: a.y - HEIGHT } : middle;
  return grow(
    page,
    nearestPlace(beside, canvas.cards.values(), AIR),
    phaseOf(canvas, edge.source),
    phaseOf(canvas, edge.target),
  );
}
