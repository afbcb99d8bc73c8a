// The commands of both pages with a canvas: the view, the panels, the palette and the colours.
import { load } from "../../core/offline.js";
import { clicking, isAvailable } from "./command.js";

/** @typedef {import("./command.js").Command} Command */
/** @typedef {import("./command.js").Page} Page */

/** @type {Command[]} */
export const VIEW_COMMANDS = [
  { id: "zoom-fit", title: "Fit everything in", group: "View", menu: "blank", run: ({ view }) => view.command("fit") },
  { id: "zoom-actual", title: "Zoom to 100 %", group: "View", run: ({ view }) => view.command("actual") },
  { id: "zoom-in", title: "Zoom in", group: "View", run: ({ view }) => view.command("in") },
  { id: "zoom-out", title: "Zoom out", group: "View", run: ({ view }) => view.command("out") },
  {
    id: "minimap",
    title: "Show or hide the minimap",
    group: "View",
    run: async (page) => (await load(import("../minimap.js"))).toggle(page),
  },
];

/**
 * The command that folds a panel away or opens it.
 * @param {string} name
 * @param {string} title
 * @returns {Command}
 */
export function foldCommand(name, title) {
  const buttons = name === "all" ? "[data-folds]" : `[data-folds="${name}"]`;
  const isOpen = () => document.querySelector(`${buttons}[aria-expanded="true"]`) !== null;
  return {
    id: `fold-${name}`,
    title: `Fold ${title} away, or open ${name === "all" ? "them" : "it"}`,
    group: "View",
    titleNow: () => (isOpen() ? `Fold ${title} away` : `Open ${title}`),
    when: () => document.querySelector(buttons)?.checkVisibility() === true,
    run: async () => (await load(import("../../core/panel-folding.js"))).fold(name),
  };
}

/**
 * The command that opens the palette.
 * @param {(page: Page) => Promise<import("./palette.js").Entry[]>} [moreEntries] entries of this page alone
 * @returns {Command}
 */
export const paletteCommand = (moreEntries = async () => []) => ({
  id: "palette",
  title: "Find a command, a stage, an agent or a note",
  group: "Go",
  run: async (page) => {
    const [{ openPalette }, { COMMANDS }, more] = await Promise.all([
      load(import("./palette.js")),
      page.commands(),
      moreEntries(page),
    ]);
    openPalette(page, COMMANDS, more);
  },
});

/** A command that follows a link of the modes. @param {string} name a part of its address */
const going = (name) => clicking(`.modes a[href*="/${name}/"]`);

/** @type {Command[]} */
export const PAGE_COMMANDS = [
  { id: "export", title: "Export the definition", group: "Go", ...clicking(".top a:is([data-dialog], [data-file])") },
  { id: "share", title: "Share the pipeline", group: "Go", ...clicking('[data-dialog="share-dialog"]') },
  { id: "versions", title: "Go to the versions", group: "Go", ...going("versions") },
  { id: "conversations", title: "Go to the conversations of this pipeline", group: "Go", ...going("conversations") },
  { id: "pipelines", title: "Go to all pipelines", group: "Go", ...clicking(".crumb a") },
  { id: "inbox", title: "Go to the inbox", group: "Go", ...clicking("#inbox-link") },
  { id: "connections", title: "Go to the connections", group: "Go", ...clicking(".connections-link") },
  {
    id: "open-trace",
    title: "Open a trace…",
    group: "Go",
    when: () => isAvailable("#trace-dialog"),
    run: () => /** @type {HTMLDialogElement} */ (document.getElementById("trace-dialog")).showModal(),
  },
  {
    id: "shortcuts",
    title: "Show the keyboard shortcuts",
    group: "Page",
    run: async (page) => (await load(import("./shortcut-sheet.js"))).openShortcuts((await page.commands()).COMMANDS),
  },
  { id: "theme-light", title: "Use light colours", group: "Page", run: () => useTheme("light") },
  { id: "theme-dark", title: "Use dark colours", group: "Page", run: () => useTheme("dark") },
  { id: "theme-system", title: "Use the colours of the system", group: "Page", run: () => useTheme("") },
];

/** @param {"light" | "dark" | ""} theme "": the system's */
const useTheme = (theme) => dispatchEvent(new CustomEvent("baton:theme", { detail: theme }));
