// Announcements for screen readers, and notices for everyone.

const ICON = '<svg class="icon" viewBox="0 0 16 16" width="16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8"/></svg>';

/** Frame in which the latest text is announced. */
let frame = 0;

/** Announce a text to screen readers, unless a newer one comes before the next frame. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  if (!announcer) return;
  announcer.textContent = "";
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => (announcer.textContent ||= text));
}

/**
 * Show a notice until it is closed or replaced.
 * @param {string} text
 * @param {"error" | "warning" | "success"} [level]
 * @returns {HTMLElement | undefined} the line of the notice
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

/** Remove the notices of the past moment; those with a link stay. */
export function clearNotice() {
  for (const line of document.querySelectorAll("#notice > :not(:has(a))")) line.remove();
}

/** Add a close button to every notice; a success closes itself. */
function addCloseButtons() {
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

// The notice element itself is swapped out of band, so its parent is observed.
new MutationObserver(addCloseButtons).observe(document.body, { childList: true });
const watchLines = new MutationObserver(addCloseButtons);

function watch() {
  const notice = document.getElementById("notice");
  if (notice) watchLines.observe(notice, { childList: true });
  addCloseButtons();
}

document.body.addEventListener("htmx:oobAfterSwap", ({ target }) => {
  if (/** @type {Element} */ (target).id === "notice") watch();
});
document.body.addEventListener("htmx:responseError", (event) => {
  const { xhr } = /** @type {CustomEvent} */ (event).detail;
  const { status } = xhr;
  // The database is busy, full or read-only: the server answers with a sentence.
  if (/503|507/.test(status) && /^text\/plain/.test(xhr.getResponseHeader("Content-Type"))) notify(xhr.responseText);
  else if (!/40[1349]|4[12]2/.test(status))
    notify(
      `The server rejected this (${status}, request ${xhr.getResponseHeader("X-Request-ID")}), so it was not saved.`,
    );
});
addEventListener("keydown", (event) => event.key === "Escape" && document.getElementById("notice")?.replaceChildren());
watch();
