// Types keys into the focused field that were pressed before it was there.

/** Type keys into the focused field, with the events of real keys. @param {string[]} keys */
export function type(keys) {
  const field = /** @type {HTMLInputElement} */ (document.activeElement);
  if (!field?.matches("input, textarea")) return;
  let text = "";
  const insert = () => {
    if (!text) return;
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    text = "";
  };
  for (const key of keys) {
    if (key.length === 1) text += key;
    else if (key === "Backspace") text = text.slice(0, -1);
    else {
      insert();
      field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
  }
  insert();
}
