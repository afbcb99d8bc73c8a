// The commands of the editor: the keyboard, the palette, the context menu, the outline and the sheet of shortcuts are
// derived from this list. See canvas/commands/command.js for the fields of a row.
//
// To add a command, add a row here and, if it has keys, a line in canvas/commands/key-bindings.js. This module loads
// with the first command; a large command imports its own module when it runs.
import { load } from "../core/offline.js";
import { clicking, isAvailable, runner } from "../canvas/commands/command.js";
import { askForMenu } from "../canvas/commands/menu-request.js";
import { foldCommand, PAGE_COMMANDS, paletteCommand, VIEW_COMMANDS } from "../canvas/commands/page-commands.js";
import { announce } from "../core/notice.js";
import * as frames from "./annotations/frame-commands.js";
import * as clipboard from "./clipboard.js";
import { addStage, centred, freely } from "./gestures/add-stage.js";
import { walk } from "./gestures/arrow-keys.js";
import { beginConnecting } from "./gestures/connect-stages.js";
import { remove } from "./gestures/delete-selection.js";
import { edgeOf, isRenamable, phaseOf } from "./focused-part.js";
import { PART_COMMANDS } from "./part-commands.js";
import { ARRANGING, SELECTING } from "./selection-commands.js";
import { focused } from "./selection.js";
import { submit } from "./submit-gesture.js";

/** @typedef {import("../canvas/commands/command.js").Command} Command */
/** @typedef {import("../canvas/commands/command.js").Page} Page */
/** @typedef {import("../canvas/geometry.js").Point} Point */

/** @type {Command[]} */
const DRAWING = [
  { id: "add", title: "Add a stage", group: "Draw", menu: "blank", run: (page, at) => add(page, at) },
  {
    id: "add-group",
    title: "Add a group of agents",
    group: "Draw",
    menu: "blank",
    run: (page, at) => add(page, at, "group"),
  },
  { id: "add-human", title: "Add a human", group: "Draw", menu: "blank", run: (page, at) => add(page, at, "human") },
  { id: "add-agent", title: "Add an agent", group: "Draw", run: () => submit("add-agent") },
  { id: "add-tool", title: "Add a tool", group: "Draw", ...clicking("#new-tool") },
  {
    id: "add-note",
    title: "Add a note",
    group: "Draw",
    menu: "blank",
    run: async (page, at) => (await load(import("./annotations/notes.js"))).addNote(page, at),
  },
  {
    id: "connect",
    title: "Connect to another stage",
    group: "Draw",
    menu: "stage",
    when: (page) => !!phaseOf(page),
    run: connect,
  },
  {
    id: "insert",
    title: "Insert a stage into the transition",
    group: "Draw",
    menu: "edge",
    when: (page) => !!edgeOf(page),
    run: async (page) => (await load(import("./gestures/create-stage.js"))).createWithin(page, edgeOf(page)),
  },
  {
    id: "splice",
    title: "Insert the stage into a transition",
    group: "Draw",
    menu: "stage",
    when: (page) => !!phaseOf(page) && page.canvas.edges.size > 0,
    run: async (page) =>
      (await load(import("./gestures/insert-into-transition.js"))).askForEdge(page, page.selection.subject[0]),
  },
  {
    id: "move-end",
    title: "Move the transition’s end to another stage",
    group: "Draw",
    menu: "edge",
    when: (page) => !!edgeOf(page),
    run: (page) => moveEnd(page, "target"),
  },
  {
    id: "move-start",
    title: "Move the transition’s start to another stage",
    group: "Draw",
    menu: "edge",
    when: (page) => !!edgeOf(page),
    run: (page) => moveEnd(page, "source"),
  },
];

/** @type {Command[]} */
const EDITING = [
  {
    id: "undo",
    title: "Undo",
    group: "Edit",
    menu: "blank",
    when: () => isAvailable("#undo-button"),
    always: true,
    titleNow: () => labelOf("#undo-button"),
    run: (page) => step("undo", page),
  },
  {
    id: "redo",
    title: "Redo",
    group: "Edit",
    menu: "blank",
    when: () => isAvailable("#redo-button"),
    always: true,
    titleNow: () => labelOf("#redo-button"),
    run: (page) => step("redo", page),
  },
  { id: "save-version", title: "Save version", group: "Edit", ...clicking("#save-version") },
  { id: "undo-steps", title: "Undo several steps", group: "Edit", ...clicking("#undo-steps > summary") },
  {
    id: "copy",
    title: "Copy",
    group: "Edit",
    menu: "stage several note frame",
    outline: "Copy",
    when: clipboard.canCopy,
    run: (page) => clipboard.copy(page),
  },
  {
    id: "cut",
    title: "Cut",
    group: "Edit",
    menu: "stage several note frame",
    outline: "Cut",
    when: clipboard.canCopy,
    run: (page) => clipboard.cut(page),
  },
  {
    id: "paste",
    title: "Paste",
    group: "Edit",
    menu: "blank",
    run: (page, at) => clipboard.paste(page, undefined, at),
  },
  {
    id: "duplicate",
    title: "Duplicate",
    group: "Edit",
    menu: "stage several note frame",
    outline: "Duplicate",
    when: clipboard.canCopy,
    run: (page) => clipboard.duplicate(page),
  },
  {
    id: "delete",
    title: "Delete",
    group: "Edit",
    menu: "stage edge several note frame",
    when: (page) => page.selection.subject.length > 0 && isAtRest(page),
    run: ({ canvas, selection }) => remove(canvas, selection.subject),
  },
  {
    id: "bypass",
    title: "Delete, and connect its neighbours",
    group: "Edit",
    menu: "stage several",
    outline: "Delete and reconnect",
    titleNow: ({ selection }) => (selection.subject.length > 1 ? "Delete, and connect their neighbours" : ""),
    when: (page) => page.selection.subject.some((id) => page.canvas.phaseOf(id)) && isAtRest(page),
    run: ({ canvas, selection }) => remove(canvas, selection.subject, "bypass"),
  },
  {
    id: "write",
    title: "Rename the stage or frame, or edit the note",
    group: "Edit",
    menu: "stage note frame",
    when: isRenamable,
    titleNow: writeTitle,
    run: async (page) => (await load(import("./annotations/inline-editing.js"))).write(page, page.selection.subject[0]),
  },
];

/** @type {Command[]} */
const FRAMING = [
  {
    id: "frame",
    title: "Frame the selection",
    group: "Frame",
    menu: "stage several",
    outline: "Frame",
    when: frames.canFrame,
    run: frames.frame,
  },
  {
    id: "unframe",
    title: "Remove the frame, keep its stages",
    group: "Frame",
    menu: "stage several frame",
    outline: "Unframe",
    when: frames.canUnframe,
    run: frames.unframe,
  },
  {
    id: "join",
    title: "Add to the frame",
    group: "Frame",
    menu: "several",
    outline: "Add to the frame",
    when: frames.canJoin,
    run: frames.join,
  },
  {
    id: "part",
    title: "Remove from the frame",
    group: "Frame",
    menu: "stage several",
    outline: "Take out of the frame",
    when: frames.canLeave,
    run: frames.leave,
  },
];

/** @type {Command[]} */
const GOING = [
  { id: "walk", title: "Walk along the transitions", group: "Go", byKey: true, shown: "Alt+Arrows", run: walk },
  paletteCommand(async (page) => (await load(import("./agent-entries.js"))).agentEntries(page)),
  {
    id: "find",
    title: "Find in names and texts",
    group: "Go",
    menu: "blank",
    run: async (page, _at, event) => (await load(import("./panels/search.js"))).openFind(page, "find-text", event),
  },
  {
    id: "replace",
    title: "Find and replace",
    group: "Go",
    run: async (page) => (await load(import("./panels/search.js"))).openFind(page, "find-by"),
  },
  {
    id: "show-hit",
    title: "Show the search result",
    group: "Go",
    byKey: true,
    run: async (page, _at, event) => (await load(import("./panels/search.js"))).showHit(page, event),
  },
  { id: "menu", title: "Open the menu of the focused part", group: "Go", byKey: true, run: askForFocusedMenu },
  { id: "problems", title: "Show the problems", group: "Go", ...clicking("#tab-problems") },
  { id: "outline", title: "Show the outline", group: "Go", ...clicking("#tab-outline") },
  { id: "rules", title: "Show the routing rules", group: "Go", ...clicking("#tab-rules") },
  { id: "definition", title: "Show the definition", group: "Go", ...clicking("#tab-definition") },
  {
    id: "settings",
    title: "Show the pipeline’s settings",
    group: "Go",
    run: ({ selection }) => selection.clear(),
  },
  { id: "rehearse", title: "Rehearse", group: "Go", ...clicking(".modes a + a:not([aria-current])") },
];

const ALL = [
  ...DRAWING,
  ...PART_COMMANDS,
  ...EDITING,
  ...FRAMING,
  ...SELECTING,
  ...ARRANGING,
  ...VIEW_COMMANDS,
  /** @type {Command} */ ({
    id: "zoom-selection",
    title: "Fit the selection in",
    group: "View",
    menu: "several",
    when: ({ selection }) => selection.ids.size > 0,
    run: async (page) => (await load(import("./gestures/align-stages.js"))).fitSelection(page),
  }),
  foldCommand("left", "the left panel"),
  foldCommand("right", "the inspector"),
  foldCommand("bottom", "the bottom panel"),
  foldCommand("all", "all panels"),
  ...GOING,
  { id: "save-template", title: "Save as template", group: "Page", ...clicking('[data-dialog="template-dialog"]') },
  ...PAGE_COMMANDS,
];

/** Without permission to edit: the commands of these groups, and copying. */
const VIEWING = ["Select", "View", "Go", "Page"];
const isViewOnly = document.body.classList.contains("view-only");
const isViewing = ({ id, group }) => (VIEWING.includes(group) && id !== "replace") || id === "copy" || id === "nudge";

export const COMMANDS = isViewOnly ? ALL.filter(isViewing) : ALL;

export const run = runner(COMMANDS);

/** Report whether no selected part is being dragged: a part in motion cannot be deleted. @param {Page} page */
function isAtRest({ canvas, selection }) {
  return selection.subject.every((id) => !canvas.elementOf(id)?.matches("[data-moving]"));
}

/** Connect one end of the focused transition to another stage. @param {Page} page @param {"source" | "target"} end */
async function moveEnd(page, end) {
  return (await load(import("./gestures/reconnect-transition.js"))).askForEnd(page, edgeOf(page), end);
}

/**
 * Add a stage at a point, or beside the focused part; a stage from which a transition is being drawn leads to it.
 * @param {Page} page
 * @param {Point} [at]
 */
async function add(page, at, kind = "agent") {
  const { canvas, view, connecting } = page;
  const source = canvas.phaseOf(connecting.source);
  const place = at && canvas.isBlank(at) ? centred(at) : freely(canvas, view, connecting.source || focused());
  connecting.end();
  // Not awaited: keys typed while the list of agents is open are for its search field.
  if (kind === "agent") return void (await load(import("./gestures/create-stage.js"))).create(page, place, source);
  const { renameNext } = await load(import("./annotations/inline-editing.js"));
  return renameNext(page, addStage(canvas, { ...place, source, kind }));
}

/** @param {Page} page */
function connect(page) {
  const { canvas, selection } = page;
  const [id] = selection.subject;
  beginConnecting(page, id);
  canvas.elementOf(id)?.focus({ preventScroll: true });
}

/** @param {Page} page */
function writeTitle({ canvas, selection }) {
  const element = canvas.elementOf(selection.subject[0]);
  if (element?.matches(".note")) return "Edit the note";
  return `Rename the ${element?.matches(".frame") ? "frame" : "stage"}`;
}

/**
 * Undo or redo, if there is a step once pending gestures are answered. If the undone part had the focus, the focus
 * stays
 * on the canvas.
 * @param {"undo" | "redo"} name
 * @param {Page} page
 * @returns the label of the undone step
 */
async function step(name, { canvas }) {
  const button = `#${name}-button`;
  const [isInside, id] = [canvas.element.contains(document.activeElement), focused()];
  let label = "";
  const isPossible = () => isAvailable(button) && (label = labelOf(button)) !== "";
  if (!(await submit(name, {}, isPossible))) return label || announce(`Nothing to ${name}`);
  if (!isInside || document.activeElement !== document.body) return;
  (canvas.elementOf(id) ?? canvas.element).focus({ preventScroll: true });
}

/** @param {string} selector */
const labelOf = (selector) => document.querySelector(selector)?.getAttribute("aria-label") ?? "";

/** Open the context menu beside the focused part. @param {Page} page */
function askForFocusedMenu({ canvas }) {
  const { activeElement } = document;
  const element = activeElement && canvas.element.contains(activeElement) ? activeElement : canvas.element;
  const { left, top, width, height } = element.getBoundingClientRect();
  askForMenu(element, { clientX: left + width / 2, clientY: top + height / 2 });
}
