// The composer: what was written goes only when it comes back as part of the chat, or waits in the queue.
import { keepMessage } from "../core/unsaved-input.js";
import { say } from "./composer-notice.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("composer"));
const log = document.getElementById("chat-log");
if (form && log) compose(form, log);

/** An id of our own for a message: sent twice, it counts once. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const anew = /** @type {HTMLInputElement | null} */ (document.querySelector("#resend-form [name=sending]"));
// As long as a page is shown, what is said anew there is one, however often it is sent.
const renew = () => anew && (anew.value = newId());
renew();
window.addEventListener("pageshow", ({ persisted }) => persisted && renew());

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} log
 */
function compose(form, log) {
  const text = /** @type {HTMLTextAreaElement} */ (form.querySelector("#message-text"));
  const id = /** @type {HTMLInputElement} */ (form.querySelector("#message-id"));
  id.value ||= newId();
  const keep = keepMessage(text, id);
  const state = form.querySelector("#composer-state");
  const chat = document.getElementById("chat");
  let sent = text.value; // what was kept from before may be on its way
  let onItsWay = ""; // the message as it went to the server, until it is there

  text.addEventListener("input", () => {
    say("");
    onItsWay = "";
    // Another text is another message.
    if (sent && text.value !== sent) {
      [id.value, sent] = [newId(), ""];
      keep();
    }
  });

  // Before htmx: a message that is too long never leaves the page.
  form.addEventListener(
    "submit",
    (event) => {
      const length = [...text.value.trim()].length;
      if (length > Number(text.dataset.limit)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        say((text.dataset.refusal ?? "").replace("{length}", length.toLocaleString("en")));
        return;
      }
      sent = text.value;
      keepFocus();
    },
    { capture: true },
  );

  for (const name of ["stop-form", "go-on-form"]) document.getElementById(name)?.addEventListener("submit", keepFocus);
  // What is withdrawn goes with its button: whoever types on writes a message.
  chat?.addEventListener("submit", ({ target }) => /** @type {Element} */ (target).closest("#queue") && text.focus());

  if (state) {
    new MutationObserver(() => {
      // What was refused while an answer was under way may be sent once it is over.
      if (!state.querySelector("[data-running]")) say("");
      address();
    }).observe(state, { childList: true });
    state.addEventListener("change", address);
    address();
  }

  /** Say in the empty field as whom one writes. */
  function address() {
    const actions = /** @type {HTMLElement | null} */ (document.getElementById("composer-actions"));
    const as = /** @type {HTMLSelectElement | null} */ (actions?.querySelector("select[name=op]"));
    text.placeholder =
      as?.value === "say" ? "Message as the customer" : (actions?.dataset.placeholder ?? text.placeholder);
    form.toggleAttribute("data-as-human", as?.value === "reply");
    form.querySelector('label[for="message-text"]')?.replaceChildren(text.placeholder);
  }

  document.addEventListener("click", (event) => {
    const starter = /** @type {Element} */ (event.target).closest("[data-starter]");
    if (!starter) return;
    text.value = starter.textContent ?? "";
    text.focus();
    form.requestSubmit();
  });

  /** Whether some elements show what was sent: in the chat, or in the queue. @param {Iterable<Node>} nodes */
  const isMine = (nodes) =>
    [...nodes].some(
      (node) =>
        node instanceof Element &&
        (node.matches(`[data-message="${id.value}"]`) || node.querySelector(`[data-message="${id.value}"]`)),
    );

  const arrived = new MutationObserver((records) => {
    if (!isMine(records.flatMap((record) => [...record.addedNodes]))) return;
    if (text.value === sent) text.value = "";
    [id.value, sent, onItsWay] = [newId(), "", ""];
    keep();
    say("");
  });
  arrived.observe(log, { childList: true });
  if (chat && document.getElementById("queue")) arrived.observe(chat, { childList: true });

  // What went into a connection that was lost goes into the next one, too, unless it was refused: by its id it counts
  // once.
  form.addEventListener("htmx:wsAfterSend", ({ detail }) => (onItsWay = detail.message));
  chat?.addEventListener(
    "htmx:oobAfterSwap",
    () => document.getElementById("composer-notice")?.textContent && (onItsWay = ""),
  );
  chat?.addEventListener("htmx:wsOpen", ({ detail }) => onItsWay && detail.socketWrapper.send(onItsWay, form));

  // Files have no place in a conversation here: that is said, and what was written stays.
  form.addEventListener("paste", (event) => refuseFiles(event, event.clipboardData));
  for (const kind of ["dragover", "drop"]) {
    chat?.addEventListener(kind, (event) => refuseFiles(event, /** @type {DragEvent} */ (event).dataTransfer));
  }

  /** @param {Event} event @param {DataTransfer | null} carried */
  function refuseFiles(event, carried) {
    if (!carried?.types.includes("Files") || carried.types.includes("text/plain")) return;
    event.preventDefault();
    if (event.type === "dragover") carried.dropEffect = "none";
    say("Files cannot be attached to a rehearsal: write what the customer would say about it.");
  }

  /** The buttons are replaced when a run begins and ends, and the focus would go with them. */
  function keepFocus() {
    if (state?.contains(document.activeElement)) text.focus();
  }
}
