// Folds panels away, to give the canvas their room. theme.js marks the folded panels before the first paint, and the
// style
// sheets hide them. On a narrow screen panels are sheets, and none is folded.
import { announce } from "./notice.js";

const root = document.documentElement;
const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-folds]")]);

/** The folded panels, including those of other pages. */
const folded = () => new Set((root.dataset.folded ?? "").split(" ").filter(Boolean));

/** The button of a panel. @param {string} name */
const buttonOf = (name) => buttons.find(({ dataset }) => dataset.folds === name);

/** Report whether a panel is folded. @param {string} name */
const isFolded = (name) => folded().has(name);

/** Fold a panel, or open a folded one. @param {string} name a panel, or "all": fold all if one of them is open */
export function fold(name) {
  const names = name === "all" ? buttons.map(({ dataset }) => dataset.folds ?? "") : [name];
  set(names, !names.every(isFolded));
}

/** @param {string[]} names @param {boolean} away */
function set(names, away) {
  const now = folded();
  for (const name of names) {
    now[away ? "add" : "delete"](name);
    const button = buttonOf(name);
    // A folded panel must not contain the focus.
    if (away && document.getElementById(button?.getAttribute("aria-controls") ?? "")?.contains(document.activeElement))
      button?.focus();
  }
  root.dataset.folded = [...now].join(" ");
  try {
    localStorage.setItem("folded", root.dataset.folded);
  } catch {
    // Without storage, panels stay folded until the page is left.
  }
  show();
  dispatchEvent(new Event("baton:folded"));
  const what = names.length > 1 ? "All panels" : buttonOf(names[0])?.getAttribute("aria-label");
  announce(`${what} ${away ? "folded away" : "open"}`);
}

/** Show the state of each panel on its button. */
function show() {
  for (const button of buttons) button.setAttribute("aria-expanded", String(!isFolded(button.dataset.folds ?? "")));
}

/** Open a panel if it is folded. @param {string | undefined} name */
const open = (name = "") => buttonOf(name) && isFolded(name) && set([name], false);

new MutationObserver(() => open(document.body.dataset.sheet)).observe(document.body, {
  attributeFilter: ["data-sheet"],
});
document.addEventListener(
  "click",
  ({ target }) => /** @type {Element} */ (target).closest("#panel-tabs a") && open("bottom"),
);
show();
