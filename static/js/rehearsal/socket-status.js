// Shows that the connection is lost, tries again at once on request, and reconnects in the cases that htmx does not
// handle. Meanwhile commands are not sent, and a message of the composer is pending.
import { notify } from "../core/notice.js";
import { isOffline } from "../core/offline.js";

const SIGNED_OUT = 4401;
const REPLACED = 1005; // the code of a socket that another one has replaced
const HTMX_RECONNECTS = [1006, 1011, 1012, 1013];

const chat = document.getElementById("chat");
const status = document.getElementById("connection");
if (chat && status) watch(chat, status);

/** Report whether nothing can be sent: the socket notices later than the page that the server cannot be reached. */
export const isUnreachable = () => isOffline() || chat?.hasAttribute("data-offline");

/**
 * @param {HTMLElement} chat
 * @param {HTMLElement} status
 */
function watch(chat, status) {
  const sentence = /** @type {HTMLElement} */ (status.querySelector("span"));
  const button = /** @type {HTMLButtonElement} */ (status.querySelector("button"));
  /** @type {any} the socket that was lost */
  let lost = null;
  let isReplacing = false;

  /** @param {string} text @param {boolean} [isFinal] whether it does not reconnect */
  const say = (text, isFinal = false) => {
    sentence.textContent = text;
    status.hidden = !text;
    button.hidden = isFinal;
    chat.toggleAttribute("data-offline", Boolean(text));
  };
  chat.addEventListener("htmx:wsOpen", () => {
    lost = null;
    say("");
  });
  chat.addEventListener("htmx:wsClose", (event) => {
    const { event: closed, socketWrapper } = /** @type {CustomEvent} */ (event).detail;
    if (closed.code === SIGNED_OUT) {
      const usual = "You are signed out, or this rehearsal was deleted or is no longer shared. Reload the page.";
      say(status.dataset.ended ?? usual, true);
      return;
    }
    if (closed.code === REPLACED && isReplacing) {
      isReplacing = false;
      return;
    }
    lost = socketWrapper;
    say("Offline: reconnecting… Your input is kept.");
    if (!HTMX_RECONNECTS.includes(closed.code)) setTimeout(() => socketWrapper.reconnect(), 1000);
  });
  button.addEventListener("click", () => {
    isReplacing = true; // the next attempt of htmx replaces this one
    lost?.reconnect();
  });
  document.addEventListener(
    "submit",
    (event) => {
      const form = /** @type {Element} */ (event.target);
      if (!isUnreachable() || !form.matches("[ws-send]:not(#composer)")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      notify("Offline: this was not done. Do it again once the server is reached.", "warning");
    },
    { capture: true },
  );
}
