// Goes to parts of the drawing: loaded with the first such command.
import { bounds } from "./geometry.js";
import { MARGIN } from "./view.js";

const READ = 0.9; // the scale at which all texts of a stage are shown

/**
 * Zoom in until some cards are readable, as far as all of them fit, and bring them into view.
 * @param {import("./view.js").View} view
 * @param {(import("./geometry.js").Point | import("./geometry.js").Box)[]} cards
 */
export function goTo(view, cards) {
  const box = bounds(cards);
  if (!box) return;
  view.measure();
  const { width, height } = view.free;
  const most = Math.min((width - 2 * MARGIN) / box.width, (height - 2 * MARGIN) / box.height);
  if (view.scale < Math.min(READ, most)) view.centreOn(box, Math.min(READ, most));
  for (const card of cards) view.reveal(card);
}
