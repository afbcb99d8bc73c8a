// Says things: aloud to a screen reader, and visibly when something was refused.

const ICON = '<svg class="icon" viewBox="0 0 16 16" width="16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8"/></svg>';

/** Say something to those who do not see it, once they are free to listen. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  if (!announcer) return;
  announcer.textContent = "";
  requestAnimationFrame(() => (announcer.textContent = text));
}

/**
 * Show a sentence to everyone, until it is closed or the next one comes.
 * @param {string} text
 * @param {"error" | "warning" | "success"} [level]
 * @returns {HTMLElement | undefined} the sentence that is shown
 */
export function notify(text, level = "error") {
  const notice = document.getElementById("notice");
  if (!notice) return;
  const line = document.createElement("p");
  line.className = "notice__text";
  line.dataset.level = level;
  line.textContent = text;
  notice.replaceChildren(line);
  return line;
}

/** Take away what was said: it is about a moment that has passed, unless there is still a way to go. */
export function clearNotice() {
  for (const line of document.querySelectorAll("#notice > :not(:has(a))")) line.remove();
}

/** Give every sentence a way to close it; what went well closes itself. */
function equip() {
  for (const line of document.querySelectorAll("#notice .notice__text:not(:has(> button))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", "Close this message");
    button.innerHTML = ICON;
    button.addEventListener("click", () => line.remove());
    line.append(button);
    if (/** @type {HTMLElement} */ (line).dataset.level === "success") setTimeout(() => line.remove(), 6000);
  }
}

// The notice itself is swapped out of band: it is watched from its parent.
new MutationObserver(equip).observe(document.body, { childList: true });
const watchLines = new MutationObserver(equip);

function watch() {
  const notice = document.getElementById("notice");
  if (notice) watchLines.observe(notice, { childList: true });
  equip();
}

document.body.addEventListener("htmx:oobAfterSwap", watch);
document.body.addEventListener("htmx:sendError", () =>
  notify("The server cannot be reached. What you did last was not saved."),
);
document.body.addEventListener("htmx:responseError", (event) => {
  const { status } = /** @type {CustomEvent} */ (event).detail.xhr;
  if (!/40[1349]|4[12]2/.test(status)) notify(`The server refused this (${status}), so it was not saved.`);
});
addEventListener("keydown", (event) => event.key === "Escape" && document.getElementById("notice")?.replaceChildren());
watch();
