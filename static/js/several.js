// Several things are selected: instead of one thing's form the inspector says how many, and offers what can be done with
// all of them. The commands are those that the context menu offers.
import { COMMANDS, can, titleOf } from "./commands.js";

/** @typedef {import("./select.js").Selection} Selection */

const KINDS = { phase: "stage", source: "transition", note: "note", frame: "frame" };
const panel = document.createElement("section");
panel.id = "several";
panel.setAttribute("aria-label", "What is selected");
let shown = "";
let again = () => {};
document.body.addEventListener("htmx:afterSettle", () => again());

/** Show what is selected, or nothing if that is one thing. @param {Selection} selection */
export function showSeveral(selection) {
  const inspector = document.getElementById("inspector");
  const elements = [...selection.ids].map((id) => /** @type {HTMLElement} */ (selection.canvas.elementOf(id)));
  again = selection.several = () => showSeveral(selection);
  inspector?.toggleAttribute("data-several", elements.length > 1);
  if (elements.length < 2 || !inspector) return panel.remove();
  if (!panel.isConnected) inspector.prepend(panel);
  const page = /** @type {any} */ ({ canvas: selection.canvas, selection });
  const given = COMMANDS.filter((command) => command.menu?.split(" ").includes("several") && can(command, page));
  const now = `${counted(elements)} ${given.map(({ id }) => id).join(" ")}`;
  if (now === shown) return;
  shown = now;
  const title = Object.assign(document.createElement("h2"), { className: "several__title", textContent: `${elements.length} selected` });
  const what = Object.assign(document.createElement("p"), { className: "field__help", textContent: counted(elements) });
  const buttons = Object.assign(document.createElement("div"));
  buttons.append(...given.map((command) => buttonOf(command, page)));
  panel.replaceChildren(title, what, buttons);
}

/** @param {import("./commands.js").Command} command @param {import("./press.js").Page} page */
function buttonOf(command, page) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: titleOf(command, page) });
  button.dataset.command = command.id;
  return button;
}

/** `2 stages, 1 note`. @param {HTMLElement[]} elements */
function counted(elements) {
  const count = (kind) => elements.filter(({ dataset }) => dataset[kind] !== undefined).length;
  const said = Object.entries(KINDS).map(([kind, name]) => (count(kind) ? `${count(kind)} ${name}${count(kind) === 1 ? "" : "s"}` : ""));
  return said.filter(Boolean).join(", ");
}
