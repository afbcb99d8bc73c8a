// The notice at the composer, and notices about other commands.
import { notify } from "../core/notice.js";

/** Show a notice at the composer; "" removes it. @param {string} sentence */
export function showNotice(sentence) {
  const notice = document.getElementById("composer-notice");
  notice?.removeAttribute("data-pending");
  if (notice && notice.textContent !== sentence) notice.textContent = sentence;
}

/** Show that the message in the field waits for the connection. */
export function showPending() {
  showNotice("Pending: this message is sent when the server is reached again.");
  document.getElementById("composer-notice")?.setAttribute("data-pending", "");
}

let isSteering = false;

// A rejection of another command is shown as a notice of the page.
document.addEventListener(
  "submit",
  ({ target }) => (isSteering = !!(/** @type {Element} */ (target).closest("[data-steering], #stop-form"))),
  { capture: true },
);
document.getElementById("chat")?.addEventListener("htmx:oobAfterSwap", () => {
  const notice = document.getElementById("composer-notice");
  if (!isSteering || !notice?.textContent || notice.hasAttribute("data-pending")) return;
  // A form with a field for the reason shows it there.
  if (document.dispatchEvent(new CustomEvent("baton:refused", { detail: notice.textContent, cancelable: true })))
    notify(notice.textContent);
  notice.textContent = "";
});
