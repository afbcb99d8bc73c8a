// What was typed for a field before it was there: written into it, key by key, as if it had been.

/** @param {string[]} keys that were pressed, as their events call them */
export function write(keys) {
  const field = /** @type {HTMLInputElement} */ (document.activeElement);
  if (!field?.matches("input, textarea")) return;
  let text = "";
  const type = () => {
    if (!text) return;
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    text = "";
  };
  for (const key of keys) {
    if (key.length === 1) text += key;
    else if (key === "Backspace") text = text.slice(0, -1);
    else {
      type();
      field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
  }
  type();
}
