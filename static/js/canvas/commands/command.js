// The shape of a command, and the functions that every list of commands needs.
//
// The commands of a page are listed once: editor/commands.js and rehearsal/commands.js, both with the commands of
// page-commands.js. The keyboard, the palette, the context menu, the sheet of shortcuts, the outline and the panel for
// several selected parts are derived from that list. Keys are in key-bindings.js and rehearsal-keys.js: they are needed
// before the commands.
import { refusedOffline } from "../../core/offline.js";
import { EDITOR_KEYS } from "./key-bindings.js";
import { REHEARSAL_KEYS } from "./rehearsal-keys.js";

/** The keys of all commands: a command has the same keys on every page. */
export const KEYS = { ...EDITOR_KEYS, ...REHEARSAL_KEYS };

/** @typedef {import("../geometry.js").Point} Point */
/**
 * The page as gestures and commands see it. `connecting` holds the card from which a transition is being drawn by key,
 * `pointer` the last move of the pointer over the canvas.
 * @typedef {{
 *   canvas: import("../canvas.js").Canvas,
 *   view: import("../view.js").View,
 *   selection: import("../../editor/selection.js").Selection,
 *   connecting: {source: string, end(): void},
 *   pointer?: PointerEvent,
 *   bringIntoView(id: string): void,
 *   choose(subject: import("../../editor/selection.js").Subject): void,
 *   commands(): Promise<{COMMANDS: Command[], run: ReturnType<typeof runner>}>,
 *   give(id: string, at?: Point, event?: Event): Promise<unknown>,
 * }} Page
 */
/**
 * One command.
 *
 * - `id`: its name in KEYS, in tests and among the commands used last
 * - `title`: a verb phrase for the palette, the menu and the sheet of shortcuts
 * - `group`: its heading, one of GROUPS
 * - `menu`: the context menus with this command, some of "stage edge several note frame supervisor blank"; "panel" adds
 *   it to the panel for several selected parts only
 * - `outline`: its label in the outline, for commands about the ticked stages
 * - `when`: whether the command is possible now; otherwise it is not shown and its key does nothing
 * - `always`: its key works even if `when` is false, because a pending request may make it possible
 * - `run`: performs it; `at` is a point of the canvas if a place was pointed at, `event` the key event, if any
 * - `byKey`: shown in the sheet of shortcuts only
 * - `titleNow`: its title at this moment, such as "Undo: connect review → handling"; "" for `title`
 * - `shown`: its keys in the sheet of shortcuts, if their list would be too long ("Arrows")
 * @typedef {{
 *   id: string, title: string, group: string, menu?: string, outline?: string, when?(page: Page): boolean,
 *   always?: boolean, run(page: Page, at?: Point, event?: KeyboardEvent): unknown, byKey?: boolean,
 *   titleNow?(page: Page): string, shown?: string,
 * }} Command
 */

export const GROUPS = ["Draw", "Edit", "Frame", "Select", "Arrange", "View", "Go", "Step in", "Page"];

/** The groups of commands that need no server. */
const WITHOUT_SERVER = ["View", "Page"];

/** Return a function that runs a command of a list, if it is possible now. @param {Command[]} commands */
export function runner(commands) {
  /** @param {string} id @param {Page} page @param {Point} [at] @param {KeyboardEvent} [event] */
  return (id, page, at, event) => {
    const command = commands.find((command) => command.id === id);
    if (command && !WITHOUT_SERVER.includes(command.group) && refusedOffline()) return undefined;
    if (command && (command.always || can(command, page))) return command.run(page, at, event);
  };
}

/** Report whether a command is possible now. @param {Command} command @param {Page} page */
export const can = ({ when }, page) => !when || when(page);

/** The title of a command for the current selection. @param {Command} command @param {Page} page */
export const titleOf = ({ title, titleNow }, page) => titleNow?.(page) || title;

/** The keys of a command, as KEYS writes them. @param {string} id @returns {string[]} */
export const keysOf = (id) => (KEYS[id] ?? "").replaceAll("event:", "").split(" ").filter(Boolean);

/** Report whether the page has an enabled element. @param {string} selector */
export const isAvailable = (selector) => document.querySelector(`${selector}:not(:disabled)`) !== null;

/** A command that clicks a link or a button of the page. @param {string} selector */
export function clicking(selector) {
  return {
    when: () => isAvailable(selector),
    run: () => /** @type {HTMLElement} */ (document.querySelector(selector)).click(),
  };
}
