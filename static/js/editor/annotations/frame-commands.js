// The commands about frames: add one around the selection, add and remove stages, remove the frame.
import { load } from "../../core/offline.js";
import { listNames } from "../../core/list-names.js";
import { OUT } from "../../canvas/frames.js";
import { isField } from "../../canvas/pointer.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/** @typedef {import("../../canvas/commands/command.js").Page} Page */

/** The stages that a command is about. @param {Page} page */
const stages = ({ canvas, selection }) => selection.subject.filter((id) => canvas.phaseOf(id));

/** The selected frames. @param {Page} page */
const frames = ({ canvas, selection }) => selection.subject.filter((id) => canvas.frames.has(id));

/** The frames that a command is about: the selected ones, else those around the selected stages. @param {Page} page */
function framesOf(page) {
  const chosen = frames(page);
  const { framing } = page.canvas;
  return chosen.length ? chosen : [...new Set(stages(page).map((id) => framing?.frameOf(id) ?? ""))].filter(Boolean);
}

/** The selected stages outside of the frame that the command is about. @param {Page} page */
const outsideStages = (page) => stages(page).filter((id) => page.canvas.framing?.frameOf(id) !== framesOf(page)[0]);

/** @param {Page} page */
export const canFrame = (page) => stages(page).length > 0;
/** @param {Page} page */
export const canUnframe = (page) => framesOf(page).length > 0;
/** @param {Page} page */
export const canJoin = (page) => framesOf(page).length === 1 && outsideStages(page).length > 0;
/** @param {Page} page */
export const canLeave = (page) => stages(page).some((id) => page.canvas.framing?.frameOf(id));
/** @param {Page} page */
export const isFrame = (page) => frames(page).length > 0;

/** Add a frame around the selection, and edit its title. @param {Page} page */
export async function frame(page) {
  const phases = stages(page).map((id) => page.canvas.phaseOf(id));
  const { isOutlining, editNext } = await load(import("./inline-editing.js"));
  const framed = await editNext(page, "frame", submit("frame", { stages: JSON.stringify(phases) }));
  if (framed) announce(`Framed ${listNames(phases)}. Write its title${isOutlining() ? " in the inspector" : ""}.`);
}

/** Remove frames, but keep their stages. @param {Page} page */
export async function unframe(page) {
  const ids = framesOf(page);
  const cards = ids.flatMap((id) => page.canvas.framing?.cardsIn(id) ?? []);
  const keys = ids.map((id) => page.canvas.frames.get(id)?.dataset.frame);
  const empty = { stages: "[]", transitions: "[]", notes: "[]" };
  if (!(await submit("delete", { ...empty, frames: JSON.stringify(keys) }))) return;
  page.selection.set(cards);
  page.selection.open();
  const { activeElement } = document;
  const isElsewhere = isField(activeElement) || activeElement?.closest("#outline");
  if (!isElsewhere) page.canvas.elementOf(cards[0])?.focus({ preventScroll: true });
  const what = ids.length === 1 ? "Removed the frame" : `Removed ${ids.length} frames`;
  announce(`${what}, kept the stages`);
}

/** Add the selected stages to the selected frame, or to the frame of one of them. @param {Page} page */
export async function join(page) {
  const [id] = framesOf(page);
  const phases = outsideStages(page).map((stage) => page.canvas.phaseOf(stage));
  const { frame = "" } = page.canvas.frames.get(id)?.dataset ?? {};
  if (await submit("put-in-frame", { stages: JSON.stringify(phases), frame }))
    announce(`Added ${listNames(phases)} to the frame`);
}

/** Take the selected stages out of their frames. @param {Page} page */
export async function leave(page) {
  const phases = stages(page).map((id) => page.canvas.phaseOf(id));
  if (await submit("put-in-frame", { stages: JSON.stringify(phases), frame: OUT }))
    announce(`Removed ${listNames(phases)} from the frame`);
}

/** Select the stages in the selected frames. @param {Page} page */
export function selectWithin(page) {
  const cards = frames(page).flatMap((id) => page.canvas.framing?.cardsIn(id) ?? []);
  page.selection.set(cards);
  page.selection.open();
  announce(`${cards.length} selected`);
}
