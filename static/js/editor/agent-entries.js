// Palette entries of the editor: add a stage with one of the agents, or assign an agent to the selected stage.
import { load } from "../core/offline.js";
import { placeEntry, titleIn } from "../canvas/commands/palette-entries.js";

/**
 * @param {import("../canvas/commands/command.js").Page} page
 * @returns {import("../canvas/commands/palette.js").Entry[]}
 */
export function agentEntries({ canvas, view, selection }) {
  const [id, ...more] = selection.subject;
  const phase = more.length ? "" : canvas.phaseOf(id);
  const links = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#agents [data-select="agent"]'));
  return [...links].flatMap((link) => {
    const [agent, name] = [link.dataset.key ?? "", titleIn(link)];
    const add = async () =>
      (await load(import("./gestures/add-stage.js"))).addFreely(canvas, view, { agent, beside: id });
    const assign = async () =>
      (await load(import("./gestures/drag-from-panel.js"))).assignAgent(canvas, id, { agent, name });
    const entries = [placeEntry(`add:${agent}`, `Add a stage served by ${name}`, "Draw", add)];
    return phase ? [...entries, placeEntry(`serve:${agent}`, `Let ${name} serve ${phase}`, "Draw", assign)] : entries;
  });
}
