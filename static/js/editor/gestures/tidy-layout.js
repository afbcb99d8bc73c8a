// Tidying: the server lays the stages out from left to right, as one edit.
import { several } from "./align-stages.js";
import "../../canvas/animate-move.js"; // is needed with the answer
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/**
 * Tidy the stages that are selected if there are several, else all; and show everything.
 * @param {import("./gesture-start.js").Page} page
 */
export async function tidy(page) {
  const { canvas, view } = page;
  const ids = several(page);
  const phases = ids.length > 1 ? ids.map((id) => canvas.cards.get(id)?.element.dataset.phase) : [];
  if (!(await submit("tidy", { stages: JSON.stringify(phases) }))) return;
  view.command("fit");
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
  announce(`Tidied ${phases.length || "all"} stages`);
}
