// Drags items of the left panel onto the canvas: a new stage, whose agent is asked for, into a transition or to a free
// place; an agent, which gets a stage there or is assigned to the stage under the pointer; a note.
import { announce } from "../../core/notice.js";
import { submit } from "../submit-gesture.js";
import { addStage, centred } from "./add-stage.js";
import { create } from "./create-stage.js";
import { stageAt } from "./edge-preview.js";
import { EDGE_GAP, nearestPlace } from "./free-place.js";
import { markInsertion } from "./insert-into-transition.js";
import { roomIn } from "./make-room.js";

/** @typedef {import("../../canvas/canvas.js").Canvas} Canvas */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */
/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {{kind: string, agent: string, name: string}} Item */

/**
 * @param {Page} page
 * @param {HTMLElement} button of the left panel
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function dragItem(page, button) {
  const { canvas, view } = page;
  const item = itemOf(button);
  const ghost = Object.assign(document.createElement("div"), { className: "carried", textContent: item.name });
  document.body.append(ghost);
  let [edge, stage] = ["", ""];
  view.measure();

  /** Mark the part under the pointer that would take the item. @param {{clientX: number, clientY: number}} event */
  const look = (event) => {
    const over = document.elementFromPoint(event.clientX, event.clientY);
    const onCanvas = canvas.element.contains(over);
    const stageUnder = onCanvas && item.agent ? (stageAt(canvas, view.at(event)) ?? "") : "";
    const edgeUnder = onCanvas && !stageUnder && item.kind !== "note" ? edgeOf(over) : "";
    mark(canvas.edges.has(edgeUnder) ? edgeUnder : "", stageUnder);
    return onCanvas;
  };

  const mark = (nextEdge = "", nextStage = "") => {
    if (nextEdge !== edge) markInsertion(canvas, edge, false);
    if (nextStage !== stage) canvas.elementOf(stage)?.removeAttribute("data-target");
    [edge, stage] = [nextEdge, nextStage];
    markInsertion(canvas, edge, true);
    canvas.elementOf(stage)?.setAttribute("data-target", "");
  };

  const end = () => {
    mark();
    ghost.remove();
  };

  return {
    move(event) {
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
      look(event);
    },
    async drop(event) {
      const onCanvas = look(event);
      const [into, onto] = [edge, stage];
      end();
      if (!onCanvas) return;
      if (onto) await assignAgent(canvas, onto, item);
      else if (into) await insert(page, into, item, centred(view.at(event)));
      else await add(page, item, centred(view.at(event)));
    },
    cancel: end,
  };
}

/** @param {HTMLElement} button @returns {Item} */
function itemOf(button) {
  const { add = "agent", key = "" } = button.dataset;
  const name = (button.querySelector("span")?.firstChild ?? button).textContent?.trim() ?? "";
  return { kind: add, agent: key, name };
}

/** The id of the edge to which an element belongs. @param {Element | null} element */
function edgeOf(element) {
  const label = /** @type {HTMLElement | null | undefined} */ (element?.closest("[data-edge]"));
  return label?.dataset.edge ?? element?.closest(".edge")?.id ?? "";
}

/** Assign an agent to a stage. @param {Canvas} canvas @param {string} id @param {{agent: string, name: string}} item */
export async function assignAgent(canvas, id, { agent, name }) {
  const phase = canvas.phaseOf(id);
  if (await submit("serve", { stage: phase, agent })) announce(`${name} serves ${phase}`);
}

/** Report whether the agent of an item's stage is asked for. @param {Item} item */
const needsAgent = ({ kind, agent }) => kind === "agent" && !agent;

/** @param {Page} page @param {string} edge @param {Item} item @param {Point} at */
async function insert(page, edge, item, at) {
  const [{ canvas }, { kind, agent }] = [page, item];
  const { source = "", target = "" } = canvas.edges.get(edge) ?? {};
  const [from, to] = [source, target].map((id) => canvas.phaseOf(id));
  const room = roomIn(canvas, edge);
  const [place, moves] = [room?.place ?? nearestPlace(at, canvas.cards.values(), EDGE_GAP), room?.moves ?? "[]"];
  if (needsAgent(item)) return create(page, place, from, to, moves);
  const isAccepted = await submit("create", { ...place, moves, source: from, target: to, kind, agent, name: "" });
  if (isAccepted) announce(`Created a stage between ${from} and ${to}`);
}

/** @param {Page} page @param {Item} item @param {Point} at */
async function add(page, item, at) {
  const [place, { kind, agent, name }] = [nearestPlace(at, page.canvas.cards.values()), item];
  if (needsAgent(item)) return create(page, place);
  const isAccepted = await addStage(page.canvas, { kind, agent, ...place });
  if (isAccepted && agent) announce(`Created a stage that ${name} serves`);
}
