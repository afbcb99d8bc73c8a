// Panels that fold away, so that the canvas takes their room. Which are folded is each person's own: theme.js puts it
// on the
// page before the first paint, and the style sheets do the rest. On a narrow screen the panels are sheets, and none is
// folded.
import { announce } from "./notice.js";

const root = document.documentElement;
const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-folds]")]);

/** The panels of this page, and those of other pages that are folded. */
const folded = () => new Set((root.dataset.folded ?? "").split(" ").filter(Boolean));

/** The button of a panel. @param {string} name */
const buttonOf = (name) => buttons.find(({ dataset }) => dataset.folds === name);

/** Whether a panel is folded away. @param {string} name */
const isFolded = (name) => folded().has(name);

/** Fold a panel away or, if it is, open it. @param {string} name "all": all of them, if one of them is open */
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
    // What is folded away holds no focus.
    if (away && document.getElementById(button?.getAttribute("aria-controls") ?? "")?.contains(document.activeElement))
      button?.focus();
  }
  root.dataset.folded = [...now].join(" ");
  try {
    localStorage.setItem("folded", root.dataset.folded);
  } catch {
    // They are folded until the page is left.
  }
  show();
  dispatchEvent(new Event("baton:folded"));
  announce(
    `${names.length > 1 ? "All panels" : buttonOf(names[0])?.getAttribute("aria-label")} ${away ? "folded away" : "open"}`,
  );
}

/** Say with each button whether its panel is there. */
function show() {
  for (const button of buttons) button.setAttribute("aria-expanded", String(!isFolded(button.dataset.folds ?? "")));
}

/** Open what somebody asks for. @param {string | undefined} name */
const open = (name = "") => buttonOf(name) && isFolded(name) && set([name], false);

new MutationObserver(() => open(document.body.dataset.sheet)).observe(document.body, {
  attributeFilter: ["data-sheet"],
});
document.addEventListener(
  "click",
  ({ target }) => /** @type {Element} */ (target).closest("#panel-tabs a") && open("bottom"),
);
show();
