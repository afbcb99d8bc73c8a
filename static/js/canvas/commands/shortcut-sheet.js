// The sheet of keyboard shortcuts, by group.
import { GROUPS, keysOf } from "./command.js";
import { keyLabel } from "../../core/key-labels.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("shortcuts"));
const groups = /** @type {HTMLElement} */ (dialog.querySelector(".sheet__groups"));

/** @typedef {import("./command.js").Command} Command */

/** @param {Command[]} commands */
export function openShortcuts(commands) {
  if (dialog.open) return;
  if (!groups.querySelector("[data-command-row]"))
    groups.prepend(...GROUPS.map((name) => groupOf(name, commands)).filter((group) => group !== null));
  dialog.showModal();
  dialog.scrollTop = 0;
}

/** @param {string} name @param {Command[]} commands */
function groupOf(name, commands) {
  const listed = commands.filter(({ id, group }) => group === name && keysOf(id).length);
  if (!listed.length) return null;
  const section = document.createElement("section");
  const heading = section.appendChild(document.createElement("h3"));
  heading.textContent = name;
  const list = section.appendChild(document.createElement("dl"));
  for (const { id, title, shown } of listed) {
    const row = list.appendChild(document.createElement("div"));
    row.dataset.commandRow = id;
    row.appendChild(document.createElement("dt")).textContent = title;
    const keys = row.appendChild(document.createElement("dd"));
    keys.append(...(shown?.split(" ") ?? keysOf(id)).map(keyLabel));
  }
  return section;
}

dialog.querySelector("[data-print]")?.addEventListener("click", () => print());
