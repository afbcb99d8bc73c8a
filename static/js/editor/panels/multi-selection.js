// The inspector for several selected parts: their number, and the commands for all of them, by subject. These are the
// commands of the context menu, and some more that have icons.
import { can, titleOf } from "../../canvas/commands/command.js";
import { isField } from "../../canvas/pointer.js";

/** @typedef {import("../../canvas/commands/command.js").Command} Command */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

const KINDS = { phase: "stage", source: "transition", note: "note", frame: "frame" };
/** The groups of commands under each heading. @type {Record<string, string[]>} */
const SECTIONS = { Arrange: ["Arrange"], Edit: ["Edit"], Frame: ["Frame"], "Select and show": ["Select", "View"] };
/** Icons of 16 pixels, by command. @type {Record<string, string>} */
const ICONS = {
  "align-left": "M3 2v12M5.5 4h7v3h-7zM5.5 9H10v3H5.5z",
  "align-centre": "M8 2v2m0 3v2m0 3v2M4 4h8v3H4zM5.5 9h5v3h-5z",
  "align-right": "M13 2v12M3.5 4h7v3h-7zM6 9h4.5v3H6z",
  "align-top": "M2 3h12M4 5.5v7h3v-7zM9 5.5V10h3V5.5z",
  "align-middle": "M2 8h2m3 0h2m3 0h2M4 4v8h3V4zM9 5.5v5h3v-5z",
  "align-bottom": "M2 13h12M4 3.5v7h3v-7zM9 6v4.5h3V6z",
  "distribute-x": "M2.5 2v12M13.5 2v12M6.5 4.5h3v7h-3z",
  "distribute-y": "M2 2.5h12M2 13.5h12M4.5 6.5h7v3h-7z",
};
const SVG = "http://www.w3.org/2000/svg";

const panel = document.createElement("section");
panel.id = "several";
panel.setAttribute("aria-label", "Selected parts");
let shown = "";
let refresh = () => {};
document.body.addEventListener("htmx:afterSettle", () => refresh());
let clear = () => {};
document.addEventListener("keydown", (event) => {
  const isElsewhere = event.defaultPrevented || isField(event.target) || document.querySelector(":modal, [role=menu]");
  if (event.key === "Escape" && panel.isConnected && !isElsewhere) clear();
});

/** Show the panel, or remove it if fewer than two parts are selected. @param {Page} page @param {Command[]} all */
export function showSeveral(page, all) {
  const { canvas, selection } = page;
  const inspector = document.getElementById("inspector");
  const elements = [...selection.ids].map((id) => /** @type {HTMLElement} */ (canvas.elementOf(id)));
  refresh = () => showSeveral(page, all);
  clear = () => {
    selection.clear();
    canvas.element.focus({ preventScroll: true });
  };
  inspector?.toggleAttribute("data-several", elements.length > 1);
  if (elements.length < 2 || !inspector) return panel.remove();
  if (!panel.isConnected) inspector.prepend(panel);
  const commands = all.filter((command) => /\b(several|panel)\b/.test(command.menu ?? "") && can(command, page));
  const now = `${countedByKind(elements)} ${commands.map(({ id }) => id).join(" ")}`;
  if (now === shown) return;
  shown = now;
  const title = Object.assign(document.createElement("h2"), {
    className: "several__title",
    textContent: `${elements.length} selected`,
  });
  const what = Object.assign(document.createElement("p"), {
    className: "field__help",
    textContent: countedByKind(elements),
  });
  const sections = Object.entries(SECTIONS).map(([name, groups]) =>
    sectionOf(
      name,
      commands.filter(({ group }) => groups.includes(group)),
      page,
    ),
  );
  panel.replaceChildren(title, what, ...sections.filter((section) => section !== null));
}

/**
 * @param {string} name
 * @param {Command[]} commands
 * @param {Page} page
 */
function sectionOf(name, commands, page) {
  if (!commands.length) return null;
  const section = document.createElement("section");
  const buttons = Object.assign(document.createElement("div"), { className: "several__buttons" });
  buttons.append(...commands.map((command) => buttonOf(command, page)));
  section.append(Object.assign(document.createElement("h3"), { textContent: name }), buttons);
  return section;
}

/**
 * @param {import("../../canvas/commands/command.js").Command} command
 * @param {import("../../canvas/commands/command.js").Page} page
 */
function buttonOf(command, page) {
  const title = titleOf(command, page);
  const icon = ICONS[command.id];
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: `button button--small${icon ? " button--icon" : ""}`,
  });
  button.dataset.command = command.id;
  if (!icon) button.textContent = title;
  else {
    Object.assign(button, { title, ariaLabel: title });
    const svg = button.appendChild(document.createElementNS(SVG, "svg"));
    for (const [key, value] of Object.entries({
      class: "icon",
      viewBox: "0 0 16 16",
      width: "16",
      height: "16",
      "aria-hidden": "true",
    }))
      svg.setAttribute(key, value);
    svg.appendChild(document.createElementNS(SVG, "path")).setAttribute("d", icon);
  }
  return button;
}

/** The number of parts by kind: `2 stages, 1 note`. @param {HTMLElement[]} elements */
function countedByKind(elements) {
  const count = (kind) => elements.filter(({ dataset }) => dataset[kind] !== undefined).length;
  const said = Object.entries(KINDS).map(([kind, name]) =>
    count(kind) ? `${count(kind)} ${name}${count(kind) === 1 ? "" : "s"}` : "",
  );
  return said.filter(Boolean).join(", ");
}
