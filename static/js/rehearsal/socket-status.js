// Shows that the connection is lost, and reconnects in the cases that htmx does not handle.

const SIGNED_OUT = 4401;
const HTMX_RECONNECTS = [1006, 1011, 1012, 1013];

const chat = document.getElementById("chat");
const status = document.getElementById("connection");
if (chat && status) watch(chat, status);

/**
 * @param {HTMLElement} chat
 * @param {HTMLElement} status
 */
function watch(chat, status) {
  /** @param {string} sentence */
  const say = (sentence) => {
    status.textContent = sentence;
    status.hidden = !sentence;
    chat.toggleAttribute("data-offline", Boolean(sentence));
  };
  chat.addEventListener("htmx:wsOpen", () => say(""));
  chat.addEventListener("htmx:wsClose", (event) => {
    const { event: closed, socketWrapper } = /** @type {CustomEvent} */ (event).detail;
    if (closed.code === SIGNED_OUT) {
      say("You are signed out, or this rehearsal was deleted. Reload the page to continue.");
      return;
    }
    say("Connection lost. Reconnecting… Your input is kept.");
    if (!HTMX_RECONNECTS.includes(closed.code)) setTimeout(() => socketWrapper.reconnect(), 1000);
  });
}
