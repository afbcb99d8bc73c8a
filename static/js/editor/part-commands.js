// The commands of the editor about one stage or one transition. See editor/commands.js.
import { load } from "../core/offline.js";
import { announce } from "../core/notice.js";
import { edgeOf, phaseOf } from "./focused-part.js";
import { submit } from "./submit-gesture.js";

/** @typedef {import("../canvas/commands/command.js").Command} Command */
/** @typedef {import("../canvas/commands/command.js").Page} Page */

/** @type {Command[]} */
export const PART_COMMANDS = [
  {
    id: "make-entry",
    title: "Make the stage the entry",
    group: "Edit",
    menu: "stage",
    when: (page) => !!phaseOf(page) && !elementOf(page)?.matches("[data-entry]"),
    run: makeEntry,
  },
  {
    id: "change-agent",
    title: "Change the agent",
    group: "Edit",
    menu: "stage",
    when: (page) => !!phaseOf(page),
    run: (page) => openField(page, "agent_id", "stage"),
  },
  {
    id: "edit-instructions",
    title: "Edit the agent’s instructions",
    group: "Edit",
    menu: "stage",
    when: (page) => !!phaseOf(page) && !!elementOf(page)?.querySelector(".stage__face[data-hue]"),
    run: (page) => openField(page, "instructions", "agent"),
  },
  {
    id: "change-kind",
    title: "Make the transition the next, or a return",
    group: "Edit",
    menu: "edge",
    when: (page) => !!edgeOf(page),
    titleNow: (page) => (edgeOf(page) ? `Make it ${otherKind(page) === "next" ? "the next" : "a return"}` : ""),
    run: changeKind,
  },
  {
    id: "edit-condition",
    title: "Edit the condition of the transition",
    group: "Edit",
    menu: "edge",
    when: (page) => !!edgeOf(page),
    run: (page) => openField(page, "description"),
  },
];

/** The element of the one selected part. @param {Page} page */
const elementOf = ({ canvas, selection }) => canvas.elementOf(selection.subject[0]);

/** The kind that the transition does not have. @param {Page} page */
const otherKind = (page) => (elementOf(page)?.dataset.kind === "next" ? "return" : "next");

/** @param {Page} page */
async function makeEntry(page) {
  const phase = phaseOf(page);
  if (await submit("entry", { entry: phase })) announce(`${phase} is the entry`);
}

/** @param {Page} page */
async function changeKind(page) {
  const { source = "", target = "" } = elementOf(page)?.dataset ?? {};
  const kind = otherKind(page);
  if (await submit("kind", { source, target, kind })) announce(`${source} → ${target} is ${kind} now`);
}

/**
 * Select the part, and move the focus to a field of its form.
 * @param {Page} page
 * @param {string} name of the field
 * @param {string} [tab] of the inspector
 */
async function openField({ selection }, name, tab) {
  const [id] = selection.subject;
  const subject = selection.subjectOf(id);
  const { focusField } = await load(import("./panels/focus-new.js"));
  selection.set([id]);
  selection.inspect(subject);
  focusField(subject, name, tab);
}
