// The sheet of shortcuts: every command that has keys, by group.
import { COMMANDS, GROUPS, has, keysOf } from "./commands.js";
import { keycaps } from "../../core/key-labels.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("shortcuts"));
const groups = /** @type {HTMLElement} */ (dialog.querySelector(".sheet__groups"));

/** @param {import("./commands.js").Page} page */
export function openShortcuts(page) {
  if (dialog.open) return;
  if (!groups.querySelector("[data-command-row]"))
    groups.prepend(...GROUPS.map((name) => groupOf(name, page)).filter((group) => group !== null));
  dialog.showModal();
  dialog.scrollTop = 0;
}

/** @param {string} name @param {import("./commands.js").Page} page */
function groupOf(name, page) {
  const commands = COMMANDS.filter(({ id, group }) => group === name && keysOf(id).length && has(id, page));
  if (!commands.length) return null;
  const section = document.createElement("section");
  const heading = section.appendChild(document.createElement("h3"));
  heading.textContent = name;
  const list = section.appendChild(document.createElement("dl"));
  for (const { id, title, shown } of commands) {
    const row = list.appendChild(document.createElement("div"));
    row.dataset.commandRow = id;
    row.appendChild(document.createElement("dt")).textContent = title;
    const keys = row.appendChild(document.createElement("dd"));
    keys.append(...(shown?.split(" ") ?? keysOf(id)).map(keycaps));
  }
  return section;
}

dialog.querySelector("[data-print]")?.addEventListener("click", () => print());
