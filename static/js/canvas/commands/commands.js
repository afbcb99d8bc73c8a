// The one table of commands: the keys, the palette, the context menu and the sheet of shortcuts are all made from it.
//
// To add a command, add a row to COMMANDS here and, if it has keys, a line to KEYS in keys.js. The row says:
//   id      what it is called in KEYS, in tests and among the commands used last
//   title   what it does, for the palette, the menu and the sheet: a verb, capitalised, no full stop
//   group   under which heading it stands: one of GROUPS
//   menu    on what the context menu offers it: some of "stage edge several note frame supervisor blank"; with
//           "panel" the inspector offers it when several things are selected, and no menu
//   when    whether it can be given now; without it: always. What cannot be given is not shown, and its key does
// nothing
//   anyhow  its key gives it even so: what is under way may make it possible, and else the server says why it is not
//   run     gives it: run(page, at, event). `at` is a point of the canvas if the command came from a place (a click
// with
//           the right button, say) and undefined if it came by key or from the palette; `event` is the key event, if
// any
//   byKey   it makes sense with its key only: shown in the sheet alone
//   said    what it would do just now, where that is not its title: "Undo: connect review → handling", "Rename the
// stage"
//   shown   how the sheet writes its keys, where a list of them would not be read ("Arrows")
// This module is loaded with the first command, not with the page. What a command needs that is large, it imports
// itself:
//   run: async (page) => (await import("./duplicate.js")).duplicate(page)
import { addStage, centred, freely, isBlank } from "../../editor/gestures/add-stage.js";
import * as clipboard from "../../editor/clipboard.js";
import { askForMenu } from "./menu-request.js";
import { beginConnecting, completeConnecting } from "../../editor/gestures/connect-stages.js";
import { focused } from "../../editor/selection.js";
import { submit } from "../../editor/submit-gesture.js";
import * as grouping from "../../editor/annotations/frame-commands.js";
import { KEYS } from "./keys.js";
import { announce } from "../../core/notice.js";
import { remove } from "../../editor/gestures/delete-selection.js";
import { showSheet } from "../../core/panel-sheets.js";
import { nudge, walk } from "../../editor/gestures/arrow-keys.js";

/** @typedef {import("../geometry.js").Point} Point */
/** The page as gestures and commands see it. @typedef {import("../../editor/gestures/gesture-start.js").Page} Page */
/**
 * @typedef {{
 *   id: string, title: string, group: string, menu?: string, when?(page: Page): boolean, anyhow?: boolean,
 *   run(page: Page, at?: Point, event?: KeyboardEvent): unknown, byKey?: boolean, said?(page: Page): string, shown?:
 * string,
 * }} Command
 */

export const GROUPS = ["Draw", "Edit", "Frame", "Select", "Arrange", "View", "Go", "Step in", "Page"];

/** @type {Command[]} */
export const COMMANDS = [
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
  {
    id: "add-note",
    title: "Add a note",
    group: "Draw",
    menu: "blank",
    run: async (page, at) => (await import("../../editor/annotations/notes.js")).addNote(page, at),
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
    run: async (page) => (await import("../../editor/gestures/create-stage.js")).growWithin(page, edgeOf(page)),
  },
  {
    id: "splice",
    title: "Insert the stage into a transition",
    group: "Draw",
    menu: "stage",
    when: (page) => !!phaseOf(page) && page.canvas.edges.size > 0,
    run: async (page) =>
      (await import("../../editor/gestures/insert-into-transition.js")).askForEdge(page, page.selection.subject[0]),
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

  {
    id: "undo",
    title: "Undo",
    group: "Edit",
    menu: "blank",
    when: () => isThere("#undo-button"),
    anyhow: true,
    said: () => labelOf("#undo-button"),
    run: (page) => step("undo", page),
  },
  {
    id: "redo",
    title: "Redo",
    group: "Edit",
    menu: "blank",
    when: () => isThere("#redo-button"),
    anyhow: true,
    said: () => labelOf("#redo-button"),
    run: (page) => step("redo", page),
  },
  { id: "undo-steps", title: "Undo several steps", group: "Edit", ...pressing("#undo-steps > summary") },
  {
    id: "copy",
    title: "Copy",
    group: "Edit",
    menu: "stage several note frame",
    when: clipboard.canCopy,
    run: (page) => clipboard.copy(page),
  },
  {
    id: "cut",
    title: "Cut",
    group: "Edit",
    menu: "stage several note frame",
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
    when: clipboard.canCopy,
    run: (page) => clipboard.duplicate(page),
  },
  {
    id: "delete",
    title: "Delete",
    group: "Edit",
    menu: "stage edge several note frame",
    when: (page) => page.selection.subject.length > 0 && isPutDown(page),
    run: ({ canvas, selection }) => remove(canvas, selection.subject),
  },
  {
    id: "bypass",
    title: "Delete, and connect its neighbours",
    group: "Edit",
    menu: "stage several",
    said: ({ selection }) => (selection.subject.length > 1 ? "Delete, and connect their neighbours" : ""),
    when: (page) =>
      page.selection.subject.some((id) => page.canvas.cards.get(id)?.element.dataset.phase) && isPutDown(page),
    run: ({ canvas, selection }) => remove(canvas, selection.subject, "bypass"),
  },
  {
    id: "write",
    title: "Rename the stage or frame, or write on the note",
    group: "Edit",
    menu: "stage note frame",
    when: isWritten,
    said: whatIsWritten,
    run: write,
  },
  {
    id: "frame",
    title: "Frame the selection",
    group: "Frame",
    menu: "stage several",
    when: grouping.canFrame,
    run: grouping.frame,
  },
  {
    id: "unframe",
    title: "Remove the frame, keep its stages",
    group: "Frame",
    menu: "stage several frame",
    when: grouping.canUnframe,
    run: grouping.unframe,
  },
  {
    id: "join",
    title: "Add to the frame",
    group: "Frame",
    menu: "several",
    when: grouping.canJoin,
    run: grouping.join,
  },
  {
    id: "part",
    title: "Remove from the frame",
    group: "Frame",
    menu: "stage several",
    when: grouping.canLeave,
    run: grouping.leave,
  },

  {
    id: "choose",
    title: "Select the stage or transition in focus; with Enter once more, go to its form",
    group: "Select",
    byKey: true,
    run: chooseByKey,
  },
  {
    id: "toggle",
    title: "Add it to the selection, or take it out",
    group: "Select",
    byKey: true,
    run: (page) => choose(page, true),
  },
  {
    id: "select-all",
    title: "Select all stages and notes",
    group: "Select",
    menu: "blank",
    when: ({ canvas }) => canvas.cards.size > 0,
    run: ({ canvas, selection }) => {
      selection.set([...canvas.cards].filter(([, { element }]) => element.matches(".stage, .note")).map(([id]) => id));
      selection.open();
      announce(`${selection.ids.size} selected`);
    },
  },
  {
    id: "select-neighbours",
    title: "Select what is connected as well",
    group: "Select",
    menu: "stage edge several",
    when: ({ selection }) => selection.ids.size > 0,
    run: async (page) => (await import("../../editor/gestures/align-stages.js")).selectNeighbours(page),
  },
  {
    id: "select-within",
    title: "Select the stages in the frame",
    group: "Select",
    menu: "frame",
    when: grouping.isFrame,
    run: grouping.selectWithin,
  },
  {
    id: "leave",
    title: "Select nothing, or stop connecting",
    group: "Select",
    byKey: true,
    run: ({ connecting, selection }) => (connecting.source ? connecting.end() : selection.clear()),
  },

  {
    id: "nudge",
    title: "Move what is selected, else the view; with Shift four times as far",
    group: "Arrange",
    byKey: true,
    shown: "Arrows",
    run: nudge,
  },
  ...arranging(
    "align",
    {
      left: "Align left edges",
      centre: "Align centres",
      right: "Align right edges",
      top: "Align top edges",
      middle: "Align middles",
      bottom: "Align bottom edges",
    },
    2,
  ),
  ...arranging("distribute", { x: "Space evenly from left to right", y: "Space evenly from top to bottom" }, 3),
  {
    id: "tidy",
    title: "Tidy",
    group: "Arrange",
    menu: "several blank",
    when: ({ canvas }) => canvas.stages.length > 0,
    run: async (page) => (await import("../../editor/gestures/tidy-layout.js")).tidy(page),
  },
  { id: "walk", title: "Walk along the transitions", group: "Go", byKey: true, shown: "Alt+Arrows", run: walk },

  { id: "zoom-fit", title: "Fit everything in", group: "View", menu: "blank", run: ({ view }) => view.command("fit") },
  {
    id: "zoom-selection",
    title: "Fit the selection in",
    group: "View",
    menu: "several",
    when: ({ selection }) => selection.ids.size > 0,
    run: async (page) => (await import("../../editor/gestures/align-stages.js")).fitSelection(page),
  },
  { id: "zoom-actual", title: "Zoom to 100 %", group: "View", run: ({ view }) => view.command("actual") },
  { id: "zoom-in", title: "Zoom in", group: "View", run: ({ view }) => view.command("in") },
  { id: "zoom-out", title: "Zoom out", group: "View", run: ({ view }) => view.command("out") },
  {
    id: "minimap",
    title: "Show or hide the minimap",
    group: "View",
    run: async (page) => (await import("../minimap.js")).toggle(page),
  },
  folding("left", "the left panel"),
  folding("right", "the inspector"),
  folding("bottom", "the bottom panel"),
  folding("all", "all panels"),

  {
    id: "palette",
    title: "Find a command, a stage, an agent or a note",
    group: "Go",
    run: async (page) => (await import("./palette.js")).openPalette(page),
  },
  {
    id: "find",
    title: "Find in names and texts",
    group: "Go",
    menu: "blank",
    run: async (page) => (await import("../../editor/panels/search.js")).openFind(page, "find-text"),
  },
  {
    id: "replace",
    title: "Find and replace",
    group: "Go",
    run: async (page) => (await import("../../editor/panels/search.js")).openFind(page, "find-by"),
  },
  {
    id: "show-hit",
    title: "Show what was found",
    group: "Go",
    byKey: true,
    run: async (page, _at, event) => (await import("../../editor/panels/search.js")).showHit(page, event),
  },
  { id: "menu", title: "Open the menu of what is in focus", group: "Go", byKey: true, run: askHere },
  { id: "problems", title: "Show the problems", group: "Go", ...pressing("#tab-problems") },
  { id: "outline", title: "Show the outline", group: "Go", ...pressing("#tab-outline") },
  { id: "rules", title: "Show the routing rules", group: "Go", ...pressing("#tab-rules") },
  { id: "definition", title: "Show the definition", group: "Go", ...pressing("#tab-definition") },
  { id: "settings", title: "Show the pipeline’s settings", group: "Go", run: ({ selection }) => selection.clear() },
  { id: "rehearse", title: "Rehearse", group: "Go", ...pressing(".modes a + a:not([aria-current])") },
  { id: "design", title: "Go to the editor", group: "Go", ...pressing(".modes a:first-child:not([aria-current])") },
  { id: "new-conversation", title: "Begin a new rehearsal", group: "Go", ...pressing(".chat__head > form > button") },
  { id: "composer", title: "Write a message", group: "Go", ...writing("#composer textarea") },
  { id: "pause", title: "Pause before the next turn or handoff", group: "Step in", ...pressing("#steer-pause") },
  { id: "step", title: "Go on as far as the next turn or handoff", group: "Step in", ...pressing("#steer-step") },
  { id: "go-on", title: "Go on", group: "Step in", ...pressing("#steer-go-on") },
  { id: "note", title: "Write a note to an agent", group: "Step in", ...pressing("#steer-note") },
  { id: "hand-over", title: "Hand the conversation over", group: "Step in", ...pressing("#steer-hand-over") },
  {
    id: "take-over",
    title: "Take over as the human, or hand back",
    group: "Step in",
    ...pressing(":is(#steer-take-over, #steer-hand-back)"),
  },
  { id: "end", title: "End the run", group: "Step in", ...pressing("#steer-end") },
  {
    id: "rename-conversation",
    title: "Rename the rehearsal",
    group: "Step in",
    ...pressing('[data-dialog="rename-conversation"]'),
  },
  { id: "export", title: "Export the definition", group: "Go", ...pressing(".top a[download]") },
  { id: "pipelines", title: "Go to all pipelines", group: "Go", ...pressing(".crumb a") },

  {
    id: "break-point",
    title: "Set a break point on what is in focus, or take it away",
    group: "Step in",
    byKey: true,
    when: () => isThere("#break-form"),
    run: async () => (await import("../../rehearsal/break-points.js")).toggleFocused(),
  },
  {
    id: "moment-back",
    title: "Show the canvas one event earlier",
    group: "Step in",
    ...pressing('[data-moment="-1"]'),
  },
  { id: "moment-on", title: "Show the canvas one event later", group: "Step in", ...pressing('[data-moment="1"]') },
  {
    id: "moment-now",
    title: "Show the canvas as it is now",
    group: "Step in",
    ...pressing("#moment-now:not([hidden])"),
  },
  { id: "save-template", title: "Save as template", group: "Page", ...pressing('[data-dialog="template-dialog"]') },
  {
    id: "shortcuts",
    title: "Show the keyboard shortcuts",
    group: "Page",
    run: async (page) => (await import("./shortcut-sheet.js")).openShortcuts(page),
  },
  { id: "theme-light", title: "Use light colours", group: "Page", run: () => showTheme("light") },
  { id: "theme-dark", title: "Use dark colours", group: "Page", run: () => showTheme("dark") },
  { id: "theme-system", title: "Use the colours of the system", group: "Page", run: () => showTheme("") },
];

/** What only the rehearsal's page has. */
const STEPPING_IN = new Set(COMMANDS.filter(({ group }) => group === "Step in").map(({ id }) => id));

/**
 * Give a command, if it can be given now.
 * @param {string} id
 * @param {Page} page
 * @param {Point} [at]
 * @param {KeyboardEvent} [event]
 */
export function run(id, page, at, event) {
  const command = COMMANDS.find((command) => command.id === id);
  if (command && has(id, page) && (command.anyhow || can(command, page))) return command.run(page, at, event);
}

/** Whether a command can be given now, on a page that has it. @param {Command} command @param {Page} page */
export const can = ({ id, when }, page) => has(id, page) && (!when || when(page));

/** Whether a page has a command. @param {string} id @param {Page} page */
export const has = (id, page) => (page.has ? page.has(id) : !STEPPING_IN.has(id));

/** What a command would do now, about what is selected. @param {Command} command @param {Page} page */
export const titleOf = ({ title, said }, page) => said?.(page) || title;

/** The keys of a command, as KEYS writes them. @param {string} id @returns {string[]} */
export const keysOf = (id) => (KEYS[id] ?? "").replaceAll("event:", "").split(" ").filter(Boolean);

/** Whether nothing that is selected is in somebody's hand just now: what is carried cannot go. @param {Page} page */
function isPutDown({ canvas, selection }) {
  return selection.subject.every((id) => !canvas.elementOf(id)?.matches("[data-moving]"));
}

/** The phase of the one stage that a command is about. @param {Page} page */
function phaseOf({ canvas, selection }) {
  const { subject } = selection;
  return subject.length === 1 ? (canvas.cards.get(subject[0])?.element.dataset.phase ?? "") : "";
}

/** The one edge that a command is about. @param {Page} page */
function edgeOf({ canvas, selection }) {
  const { subject } = selection;
  return subject.length === 1 && canvas.edges.has(subject[0]) ? subject[0] : "";
}

/** Panels fold away, and come back. @param {string} name @param {string} title */
function folding(name, title) {
  const its = name === "all" ? "[data-folds]" : `[data-folds="${name}"]`;
  const isOpen = () => document.querySelector(`${its}[aria-expanded="true"]`) !== null;
  return {
    id: `fold-${name}`,
    title: `Fold ${title} away, or open ${name === "all" ? "them" : "it"}`,
    group: "View",
    said: () => (isOpen() ? `Fold ${title} away` : `Open ${title}`),
    when: () => document.querySelector(its)?.checkVisibility() === true,
    run: async () => (await import("../../core/panel-folding.js")).fold(name),
  };
}

/** Lead one end of an edge to another stage. @param {Page} page @param {"source" | "target"} end */
const moveEnd = async (page, end) =>
  (await import("../../editor/gestures/reconnect-transition.js")).askForEnd(page, edgeOf(page), end);

/**
 * Ways to arrange the selected stages.
 * @param {"align" | "distribute"} how
 * @param {Record<string, string>} titles
 * @param {number} least so many stages
 */
function arranging(how, titles, least) {
  return Object.entries(titles).map(([line, title]) => ({
    id: `${how}-${line}`,
    title,
    group: "Arrange",
    menu: ["left", "top", "x", "y"].includes(line) ? "several" : "panel",
    when: ({ canvas, selection }) =>
      [...selection.ids].filter((id) => canvas.cards.get(id)?.element.dataset.phase).length >= least,
    run: async (page) => (await import("../../editor/gestures/align-stages.js"))[how](page, line),
  }));
}

/**
 * Add a stage where one points, else beside what is in focus, led to by what is being connected; who serves it is
 * asked.
 * @param {Page} page
 * @param {Point} [at]
 */
async function add(page, at, kind = "agent") {
  const { canvas, view, connecting } = page;
  const source = canvas.cards.get(connecting.source)?.element.dataset.phase;
  const place = at && isBlank(canvas, at) ? centred(at) : freely(canvas, view, connecting.source || focused());
  connecting.end();
  if (kind === "agent") return void (await import("../../editor/gestures/create-stage.js")).grow(page, place, source);
  return (await import("../../editor/annotations/inline-editing.js")).nameNext(
    page,
    addStage({ ...place, source, kind }),
  );
}

/** @param {Page} page */
function connect(page) {
  const { canvas, selection } = page;
  const [id] = selection.subject;
  beginConnecting(page, id);
  canvas.elementOf(id)?.focus({ preventScroll: true });
}

/** Whether a command is about one note or frame. @param {Page} page */
function isPaper({ canvas, selection }) {
  const [id, ...others] = selection.subject;
  return !others.length && !!canvas.elementOf(id)?.matches(".note, .frame");
}

/** Whether a command is about one thing that has a name or a text. @param {Page} page */
function isWritten(page) {
  return isPaper(page) || !!phaseOf(page);
}

/** @param {Page} page */
function whatIsWritten({ canvas, selection }) {
  const element = canvas.elementOf(selection.subject[0]);
  if (element?.matches(".note")) return "Write on the note";
  return `Rename the ${element?.matches(".frame") ? "frame" : "stage"}`;
}

/** @param {Page} page */
async function write(page) {
  (await import("../../editor/annotations/inline-editing.js")).write(page, page.selection.subject[0]);
}

/**
 * Enter goes on to what is to be written. With the space bar held one may want to pan.
 * @param {Page} page
 * @param {Point | undefined} _at
 * @param {KeyboardEvent} [event]
 */
async function chooseByKey(page, _at, event) {
  const { selection, connecting } = page;
  const id = focused();
  if (event?.key === "Enter" && !connecting.source && isPaper(page)) return write(page);
  if (event?.key === "Enter" && !connecting.source && selection.ids.size === 1 && selection.ids.has(id))
    return goToForm(page, id);
  if (event?.key === " " && (event.repeat || (await isPanning(page)))) return;
  choose(page, false);
}

/**
 * Whether the space bar is held to pan: it is let go first, or else the pointer pressed.
 * @param {Page} page
 * @returns {Promise<boolean>}
 */
function isPanning({ canvas: { element } }) {
  if (element.dataset.hand !== "ready") return Promise.resolve(element.dataset.hand === "pan");
  const stop = new AbortController();
  return new Promise((resolve) => {
    for (const name of ["keyup", "pointerdown", "blur"]) {
      addEventListener(name, () => (stop.abort(), resolve(name !== "keyup")), { capture: true, signal: stop.signal });
    }
  });
}

/** Go on to the inspector's form of what is selected. @param {Page} page @param {string} id */
async function goToForm({ selection }, id) {
  await selection.inspect(selection.subjectOf(id));
  showSheet("right");
  // What hears the way back, and where the inspector was folded away its room.
  await Promise.all([import("../../editor/panels/unsaved-form.js"), new Promise(requestAnimationFrame)]);
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector(
    "#inspector form :is(input:not([type=hidden]), textarea, select):not(:disabled)",
  );
  field?.focus();
  if (field?.matches("input")) field.select(); // what is typed goes over it
}

/** @param {Page} page @param {boolean} more add to what is selected already */
function choose(page, more) {
  const { canvas, selection, connecting } = page;
  const id = focused();
  if (connecting.source) return canvas.cards.get(id)?.element.dataset.phase && completeConnecting(page, id);
  if (!id) return;
  if (!more) return selection.pick(id);
  selection.toggle(id);
  announce(`${selection.ids.size} selected`);
}

/**
 * Undo or redo, if there is something once what is under way is done; the answer says what that was. What had the focus
 * may go with it: the focus then stays on the canvas.
 * @param {"undo" | "redo"} name
 * @param {Page} page
 */
async function step(name, { canvas }) {
  const button = `#${name}-button`;
  const [isInside, id] = [canvas.element.contains(document.activeElement), focused()];
  let what = "";
  const may = () => isThere(button) && (what = labelOf(button)) !== "";
  if (!(await submit(name, {}, may))) return what || announce(`Nothing to ${name}`);
  if (isInside && document.activeElement === document.body)
    (canvas.elementOf(id) ?? canvas.element).focus({ preventScroll: true });
}

/** Whether the page has something that can be pressed now. @param {string} name a selector */
const isThere = (name) => document.querySelector(`${name}:not(:disabled)`) !== null;

/** @param {string} name a selector */
const labelOf = (name) => document.querySelector(name)?.getAttribute("aria-label") ?? "";

/** A command that is a link or a button of the page too. @param {string} name a selector */
function pressing(name) {
  return { when: () => isThere(name), run: () => /** @type {HTMLElement} */ (document.querySelector(name)).click() };
}

/** A command that gives a field of the page the focus. @param {string} name a selector */
function writing(name) {
  const sheet = async () => (await import("../../core/panel-sheets.js")).showSheet("right");
  return {
    when: () => isThere(name),
    run: () => sheet().then(() => /** @type {HTMLElement} */ (document.querySelector(name)).focus()),
  };
}

/** @param {string} theme "light", "dark", or "": as the system has it */
const showTheme = (theme) => dispatchEvent(new CustomEvent("baton:theme", { detail: theme }));

/** Ask for the menu of what is in focus, beside it. */
function askHere({ canvas }) {
  const element = canvas.element.contains(document.activeElement)
    ? /** @type {Element} */ (document.activeElement)
    : canvas.element;
  const { left, top, width, height } = element.getBoundingClientRect();
  askForMenu(element, { clientX: left + width / 2, clientY: top + height / 2 });
}
