// Tidying: the server lays the stages out from left to right, as one edit.
import { several } from "./arrange.js";
import "./glide.js"; // is needed with the answer
import { submit } from "./gestures.js";
import { announce } from "./notice.js";

/** Tidy the stages that are selected if there are several, else all; and show everything. @param {import("./press.js").Page} page */
export async function tidy(page) {
  const { canvas, view } = page;
  const ids = several(page);
  const phases = ids.length > 1 ? ids.map((id) => canvas.cards.get(id)?.element.dataset.phase) : [];
  if (!(await submit("tidy", { stages: JSON.stringify(phases) }))) return;
  view.command("fit");
  if (document.activeElement === document.body) canvas.element.focus({ preventScroll: true });
  announce(`Tidied ${phases.length || "all"} stages`);
}
