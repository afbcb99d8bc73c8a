// Asks for the agent of a new stage, and creates the stage, connected or within a transition.
import { cardId } from "../../canvas/canvas.js";
import { typeAhead } from "../../canvas/commands/key-bindings.js";
import { HEIGHT, WIDTH } from "../../canvas/geometry.js";
import { announce } from "../../core/notice.js";
import { renameNext } from "../annotations/inline-editing.js";
import { submit } from "../submit-gesture.js";
import { freely } from "./add-stage.js";
import { edgePreview } from "./edge-preview.js";
import { EDGE_GAP, nearestPlace, unlessCovered } from "./free-place.js";
import { roomIn } from "./make-room.js";
import { pick } from "./stage-picker.js";

/** @typedef {import("../../canvas/commands/command.js").Page} Page */

/**
 * Ask for an agent, and create a stage with it.
 * @param {Page} page
 * @param {import("../../canvas/geometry.js").Point} place of its card
 * @param {string} [source] the phase of the stage before it
 * @param {string} [target] the phase of the stage after it, for a stage within a transition
 * @param {string} [moves] of other stages, which make room for it
 */
export async function create(page, place, source = "", target = "", moves = "[]") {
  const { canvas, view } = page;
  const preview = edgePreview(canvas, cardId(source));
  if (!target) preview.to({ x: place.x, y: place.y + HEIGHT / 2 });
  view.measure();
  const choice = await pick({
    clientX: view.window.x + view.x + place.x * view.scale,
    clientY: view.window.y + view.y + (place.y + HEIGHT / 2) * view.scale,
  });
  if (choice) await createWith(page, choice, place, source, target, moves);
  else announce("Nothing created");
  preview.remove();
}

/**
 * @param {Page} page
 * @param {import("./stage-picker.js").Choice} choice
 * @param {import("../../canvas/geometry.js").Point} place
 * @param {string} source
 * @param {string} target
 * @param {string} moves
 */
async function createWith(page, choice, place, source, target, moves) {
  const rounded = { x: Math.round(place.x), y: Math.round(place.y) };
  const { cards } = page.canvas;
  const creating = submit("create", () => ({
    ...(target ? rounded : unlessCovered(rounded, cards.values())),
    ...{ source, target, moves, ...choice },
  }));
  // A stage named after its agent already has a good name; any other is renamed at once.
  const isNamed = choice.name || choice.agent;
  const naming = isNamed ? creating : typeAhead(renameNext(page, creating));
  const where = target ? ` between ${source} and ${target}` : source && ` after ${source}`;
  if (await creating) announce(`Created a stage${where}`);
  await naming;
}

/** Ask for an agent, and create a stage at a free place in view. @param {Page} page */
export const createFreely = (page) => create(page, freely(page.canvas, page.view));

/**
 * Create a stage within a transition, in the middle if there is room; else the stages that follow make room.
 * @param {Page} page
 * @param {string} id of the edge
 */
export function createWithin(page, id) {
  const { canvas } = page;
  const edge = canvas.edges.get(id);
  const [a, b] = [canvas.cards.get(edge?.source ?? ""), canvas.cards.get(edge?.target ?? "")];
  if (!edge || !a || !b) return;
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const wanted = edge.source === edge.target ? { x: a.x + WIDTH, y: a.y - HEIGHT } : middle;
  const room = roomIn(canvas, id);
  const place = room?.place ?? nearestPlace(wanted, canvas.cards.values(), EDGE_GAP);
  return create(page, place, canvas.phaseOf(edge.source), canvas.phaseOf(edge.target), room?.moves);
}
