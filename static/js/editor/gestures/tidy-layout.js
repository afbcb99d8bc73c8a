// Tidies the layout: the server places the stages for the free part of the window, as one edit.
import { selectedStages } from "./align-stages.js";
import "../../canvas/animate-move.js"; // loaded before the answer needs it
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/**
 * Tidy the stages that are selected if there are several, else all; and show everything.
 * @param {import("../../canvas/commands/command.js").Page} page
 */
export async function tidy(page) {
  const { canvas, view } = page;
  const ids = selectedStages(page);
  const phases = ids.length > 1 ? ids.map((id) => canvas.phaseOf(id)) : [];
  view.measure();
  const [width, height] = [view.free.width, view.free.height].map((length) => Math.max(200, Math.round(length)));
  if (!(await submit("tidy", { stages: JSON.stringify(phases), width, height }))) return;
  view.command("fit");
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
  announce(`Tidied ${phases.length || "all"} stages`);
}
