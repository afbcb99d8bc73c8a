// The commands of the editor that select and arrange parts. See editor/commands.js.
import { load } from "../core/offline.js";
import { announce } from "../core/notice.js";
import * as frames from "./annotations/frame-commands.js";
import { chooseByKey, toggleFocused } from "./focused-part.js";
import { nudge } from "./gestures/arrow-keys.js";

/** @typedef {import("../canvas/commands/command.js").Command} Command */
/** @typedef {import("../canvas/commands/command.js").Page} Page */

/** @type {Command[]} */
export const SELECTING = [
  {
    id: "choose",
    title: "Select the focused stage or transition; Enter again opens its form",
    group: "Select",
    byKey: true,
    run: chooseByKey,
  },
  { id: "toggle", title: "Add to the selection, or remove from it", group: "Select", byKey: true, run: toggleFocused },
  {
    id: "select-all",
    title: "Select all stages and notes",
    group: "Select",
    menu: "blank",
    when: ({ canvas }) => canvas.cards.size > 0,
    run: selectAll,
  },
  {
    id: "select-neighbours",
    title: "Also select connected stages",
    group: "Select",
    menu: "stage edge several",
    when: ({ selection }) => selection.ids.size > 0,
    run: async (page) => (await load(import("./gestures/align-stages.js"))).selectNeighbours(page),
  },
  {
    id: "select-within",
    title: "Select the stages in the frame",
    group: "Select",
    menu: "frame",
    when: frames.isFrame,
    run: frames.selectWithin,
  },
  {
    id: "leave",
    title: "Clear the selection, or stop connecting",
    group: "Select",
    byKey: true,
    run: ({ connecting, selection }) => (connecting.source ? connecting.end() : selection.clear()),
  },
];

/** @type {Command[]} */
export const ARRANGING = [
  {
    id: "nudge",
    title: "Move the selection, or the view; four times as far with Shift",
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
    { left: "Align left", top: "Align top" },
  ),
  ...arranging("distribute", { x: "Space evenly from left to right", y: "Space evenly from top to bottom" }, 3),
  {
    id: "tidy",
    title: "Tidy",
    group: "Arrange",
    menu: "several blank",
    when: ({ canvas }) => canvas.stages.length > 0,
    run: async (page) => (await load(import("./gestures/tidy-layout.js"))).tidy(page),
  },
];

/** @param {Page} page */
function selectAll({ canvas, selection }) {
  selection.set([...canvas.cards].filter(([, { element }]) => element.matches(".stage, .note")).map(([id]) => id));
  selection.open();
  announce(`${selection.ids.size} selected`);
}

/**
 * The commands that align or distribute the selected stages.
 * @param {"align" | "distribute"} how
 * @param {Record<string, string>} titles by line or axis
 * @param {number} least smallest number of stages
 * @param {Record<string, string>} [outline] labels in the outline
 * @returns {Command[]}
 */
function arranging(how, titles, least, outline = {}) {
  return Object.entries(titles).map(([line, title]) => ({
    id: `${how}-${line}`,
    title,
    group: "Arrange",
    menu: ["left", "top", "x", "y"].includes(line) ? "several" : "panel",
    outline: outline[line],
    when: ({ canvas, selection }) => [...selection.ids].filter((id) => canvas.phaseOf(id)).length >= least,
    run: async (page) => (await load(import("./gestures/align-stages.js")))[how](page, line),
  }));
}
