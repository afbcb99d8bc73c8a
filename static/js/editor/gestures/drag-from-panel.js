// What is carried out of the left panel: a new stage, into a transition or to where there is room; an agent, which
// makes
// a stage of its own there, or serves the one it is dropped on; a note.
import { addStage, centred } from "./add-stage.js";
import { phaseOf, stageAt } from "./connect-stages.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";
import { AIR, nearestPlace } from "./free-place.js";
import { markSplice } from "./insert-into-transition.js";

/** @typedef {{kind: string, agent: string, name: string}} Cargo */

/**
 * @param {{canvas: import("../../canvas/canvas.js").Canvas, view: import("../../canvas/view.js").View}} page
 * @param {HTMLElement} button of the left panel
 * @returns {import("../../canvas/pointer.js").Gesture}
 */
export function carry({ canvas, view }, button) {
  const cargo = cargoOf(button);
  const ghost = document.body.appendChild(
    Object.assign(document.createElement("div"), { className: "carried", textContent: cargo.name }),
  );
  let [edge, stage] = ["", ""];
  view.measure();

  /** What lies under the pointer, and would take what is carried. @param {{clientX: number, clientY: number}} event */
  const look = (event) => {
    const over = document.elementFromPoint(event.clientX, event.clientY);
    const onCanvas = canvas.element.contains(over);
    const under = onCanvas && cargo.agent ? (stageAt(canvas, view.at(event)) ?? "") : "";
    const hit = onCanvas && !under && cargo.kind !== "note" ? edgeUnder(over) : "";
    mark(canvas.edges.has(hit) ? hit : "", under);
    return onCanvas;
  };

  const mark = (nextEdge = "", nextStage = "") => {
    if (nextEdge !== edge) markSplice(canvas, edge, false);
    if (nextStage !== stage) canvas.elementOf(stage)?.removeAttribute("data-target");
    [edge, stage] = [nextEdge, nextStage];
    markSplice(canvas, edge, true);
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
      if (onto) await serve(canvas, onto, cargo);
      else if (into) await insert(canvas, into, cargo, centred(view.at(event)));
      else await put(canvas, cargo, centred(view.at(event)));
    },
    cancel: end,
  };
}

/** @param {HTMLElement} button @returns {Cargo} */
function cargoOf(button) {
  const { add = "agent", key = "" } = button.dataset;
  const name = (button.querySelector("span")?.firstChild ?? button).textContent?.trim() ?? "";
  return { kind: add, agent: key, name };
}

/** The id of the edge that an element belongs to. @param {Element | null} element */
const edgeUnder = (element) =>
  /** @type {HTMLElement | null} */ (element?.closest("[data-edge]"))?.dataset.edge ??
  element?.closest(".edge")?.id ??
  "";

/**
 * Have an agent serve a stage.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string} id
 * @param {{agent: string, name: string}} cargo
 */
export async function serve(canvas, id, { agent, name }) {
  const phase = phaseOf(canvas, id);
  if (await submit("serve", { stage: phase, agent })) announce(`${name} serves ${phase}`);
}

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {string} edge
 * @param {Cargo} cargo
 * @param {import("../../canvas/geometry.js").Point} at
 */
async function insert(canvas, edge, { kind, agent }, at) {
  const { source = "", target = "" } = canvas.edges.get(edge) ?? {};
  const [from, to] = [source, target].map((id) => phaseOf(canvas, id));
  const accepted = await submit("create", {
    ...nearestPlace(at, canvas.cards.values(), AIR),
    source: from,
    target: to,
    kind,
    agent,
    name: "",
  });
  if (accepted) announce(`Created a stage between ${from} and ${to}`);
}

/**
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {Cargo} cargo
 * @param {import("../../canvas/geometry.js").Point} at
 */
async function put(canvas, { kind, agent, name }, at) {
  const accepted = await addStage({ kind, agent, ...nearestPlace(at, canvas.cards.values()) });
  if (accepted && agent) announce(`Created a stage that ${name} serves`);
}
