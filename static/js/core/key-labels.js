// Labels of keys: ⌘ and ⇧ on a Mac, Ctrl and Shift elsewhere.

const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);
const NAMES = {
  Mod: isMac ? "⌘" : "Ctrl",
  Shift: isMac ? "⇧" : "Shift",
  Alt: isMac ? "⌥" : "Alt",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  ContextMenu: "Menu",
};

/** The caps of a key as KEYS writes it: `Mod+Shift+z` is Ctrl, Shift, Z. @param {string} key */
export function capsOf(key) {
  const names = key === "+" ? ["+"] : key.split("+");
  return names.map((name) => NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name));
}

/** A key as an element: one <kbd> with a <kbd> for each cap. @param {string} key */
export function keyLabel(key) {
  const label = document.createElement("kbd");
  label.className = "keys";
  const caps = capsOf(key).map((name) => Object.assign(document.createElement("kbd"), { textContent: name }));
  // A plus sign between the caps is for screen readers only.
  const plus = () => Object.assign(document.createElement("i"), { textContent: "+" });
  label.append(...caps.flatMap((cap, at) => (at ? [plus(), cap] : [cap])));
  return label;
}
