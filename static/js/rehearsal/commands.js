// The commands of the rehearsal page. See canvas/commands/command.js.
import { load } from "../core/offline.js";
import { clicking, isAvailable, runner } from "../canvas/commands/command.js";
import { foldCommand, PAGE_COMMANDS, paletteCommand, VIEW_COMMANDS } from "../canvas/commands/page-commands.js";

/** @typedef {import("../canvas/commands/command.js").Command} Command */

/** @type {Command[]} */
export const COMMANDS = [
  ...VIEW_COMMANDS,
  foldCommand("left", "the left panel"),
  paletteCommand(async () => (await load(import("./break-points.js"))).breakPointEntries()),
  { id: "design", title: "Go to the editor", group: "Go", ...clicking(".modes a:first-child:not([aria-current])") },
  { id: "new-conversation", title: "Begin a new rehearsal", group: "Go", ...clicking(".chat__head > [form]") },
  { id: "composer", title: "Write a message", group: "Go", ...focusing("#composer textarea") },
  {
    id: "feedback",
    title: "Rate the last answer",
    group: "Go",
    ...focusing('#chat-log .feedback > button[tabindex="0"]'),
  },
  { id: "pause", title: "Pause before the next turn or handoff", group: "Step in", ...clicking("#steer-pause") },
  { id: "step", title: "Run to the next turn or handoff", group: "Step in", ...clicking("#steer-step") },
  { id: "go-on", title: "Continue the run", group: "Step in", ...clicking("#steer-go-on") },
  { id: "note", title: "Write a note to an agent", group: "Step in", ...clicking("#steer-note") },
  { id: "hand-over", title: "Hand the conversation over", group: "Step in", ...clicking("#steer-hand-over") },
  {
    id: "take-over",
    title: "Take over as the human, or hand back",
    group: "Step in",
    ...clicking(":is(#steer-take-over, #steer-hand-back)"),
  },
  { id: "end", title: "End the run", group: "Step in", ...clicking("#steer-end") },
  {
    id: "rename-conversation",
    title: "Rename the rehearsal",
    group: "Step in",
    ...clicking('[data-dialog="rename-conversation"]'),
  },
  {
    id: "break-point",
    title: "Set or remove a break point on the focused stage or transition",
    group: "Step in",
    byKey: true,
    when: () => isAvailable("#break-form"),
    run: async () => (await load(import("./break-points.js"))).toggleFocused(),
  },
  {
    id: "time-back",
    title: "Show the canvas one event earlier",
    group: "Step in",
    ...clicking('[data-step="-1"]'),
  },
  { id: "time-on", title: "Show the canvas one event later", group: "Step in", ...clicking('[data-step="1"]') },
  {
    id: "time-now",
    title: "Show the canvas as it is now",
    group: "Step in",
    ...clicking("#time-slider-now:not([hidden])"),
  },
  ...PAGE_COMMANDS,
];

export const run = runner(COMMANDS);

/** A command that gives a field of the page the focus. @param {string} selector */
function focusing(selector) {
  return {
    when: () => isAvailable(selector),
    run: async () => {
      (await load(import("../core/panel-sheets.js"))).showSheet("right");
      /** @type {HTMLElement} */ (document.querySelector(selector)).focus();
    },
  };
}
