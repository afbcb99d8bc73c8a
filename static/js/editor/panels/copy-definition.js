// Copies the whole definition, also if the panel shows only a part of it.
import { put } from "../clipboard.js";
import { submit } from "../submit-gesture.js";
import { announce, notify } from "../../core/notice.js";

document.addEventListener("click", async (event) => {
  const button = /** @type {Element} */ (event.target).closest("[data-whole]");
  if (!button) return;
  event.preventDefault();
  if (await put(submit("whole"))) notify("The whole definition is on the clipboard.", "success");
});
