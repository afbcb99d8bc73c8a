// A button that copies a link.
import { announce } from "./notice.js";

document.addEventListener("click", async (event) => {
  const button = /** @type {Element} */ (event.target).closest("[data-copy]");
  if (!(button instanceof HTMLElement)) return;
  const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy ?? ""));
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    announce("The link is copied.");
  } catch {
    announce("The link is selected: copy it with Ctrl C.");
  }
});
