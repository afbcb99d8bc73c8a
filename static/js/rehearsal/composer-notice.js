// The sentence at the composer, and those that are about something else that was asked for.
import { notify } from "../core/notice.js";

/** Say something at the composer; "" takes back what was said. @param {string} sentence */
export function say(sentence) {
  const notice = document.getElementById("composer-notice");
  if (notice && notice.textContent !== sentence) notice.textContent = sentence;
}

let isSteering = false;

// A refusal of what was asked for elsewhere is said where everyone sees it.
document.addEventListener(
  "submit",
  ({ target }) => (isSteering = !!(/** @type {Element} */ (target).closest("[data-steering], #stop-form"))),
  { capture: true },
);
document.getElementById("chat")?.addEventListener("htmx:oobAfterSwap", () => {
  const notice = document.getElementById("composer-notice");
  if (!isSteering || !notice?.textContent) return;
  // Who has a field that it is about says it there.
  if (document.dispatchEvent(new CustomEvent("baton:refused", { detail: notice.textContent, cancelable: true })))
    notify(notice.textContent);
  notice.textContent = "";
});
