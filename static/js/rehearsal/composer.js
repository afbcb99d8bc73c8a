// The composer: a sent message stays in the field until the chat or the queue shows it.
import { keepMessage } from "../core/unsaved-input.js";
import { showNotice, showPending } from "./composer-notice.js";
import { isUnreachable } from "./socket-status.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("composer"));
const log = document.getElementById("chat-log");
if (form && log) compose(form, log);

/** An id for a message, so that it counts once even if it is sent twice. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const anew = /** @type {HTMLInputElement | null} */ (document.querySelector("#resend-form [name=sending]"));
// A repeated message has one id while the page is shown, however often it is sent.
const renew = () => anew && (anew.value = newId());
renew();
window.addEventListener("pageshow", ({ persisted }) => persisted && renew());

// A rehearsal of another version has its own page; what is typed already is kept for it.
const version = /** @type {HTMLSelectElement | null} */ (document.getElementById("start-version"));
const showVersion = () => {
  const shown = version?.querySelector("option[selected]")?.getAttribute("value");
  if (!version || !shown || shown === version.value) return;
  const address = new URL(version.dataset.address ?? "", location.href);
  address.searchParams.set("start_version", version.value);
  for (const point of new URLSearchParams(location.search).getAll("break_point"))
    address.searchParams.append("break_point", point);
  location.assign(address);
};
version?.addEventListener("change", showVersion);
showVersion(); // chosen before this module was loaded

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
  let sent = text.value; // a restored message may have been sent
  let onItsWay = ""; // the message as it was sent, until it arrives
  let awaited = { id: "", text: "" }; // its id and text: the author may type the next message after it
  let isHeld = false; // sent while nothing can be sent
  let author = role()?.value ?? "say"; // role in which the text in the field was written

  text.addEventListener("input", () => {
    const isChanged = isHeld && text.value.trim();
    showNotice(isChanged ? "You changed the message, so it is not pending any more. Send it again." : "");
    isHeld = false;
    author = role()?.value ?? "say";
    if (!isContinued()) [onItsWay, awaited] = ["", { id: "", text: "" }];
    // A changed text is a new message.
    if (sent && text.value !== sent) {
      [id.value, sent] = [newId(), ""];
      keep();
    }
  });

  // Runs before htmx: a message that is too long is not sent, and one that cannot be sent yet is held back.
  form.addEventListener(
    "submit",
    (event) => {
      const length = [...text.value.trim()].length;
      if (length > Number(text.dataset.limit)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        showNotice((text.dataset.refusal ?? "").replace("{length}", length.toLocaleString("en")));
        return;
      }
      author = role()?.value ?? "say";
      keepFocus();
      if (chat && isUnreachable()) {
        event.preventDefault();
        event.stopImmediatePropagation();
        isHeld = true;
        showPending();
        return;
      }
      sent = text.value;
      awaited = { id: id.value, text: sent };
    },
    { capture: true },
  );

  for (const name of ["stop-form", "go-on-form"]) document.getElementById(name)?.addEventListener("submit", keepFocus);
  // A withdrawn message is removed with its button, so the focus goes to the field, and so does its text.
  chat?.addEventListener("submit", ({ target }) => {
    const withdrawn = /** @type {Element} */ (target).closest("#queue > li");
    if (!withdrawn) return;
    text.focus();
    text.value = [withdrawn.getAttribute("data-text"), text.value].filter(Boolean).join("\n");
    keep();
  });

  if (state) {
    new MutationObserver(() => {
      // A message rejected during a run may be sent after it.
      if (!state.querySelector("[data-running]")) showNotice("");
      begin();
    }).observe(state, { childList: true });
    state.addEventListener("change", () => {
      author = role()?.value ?? author;
      address();
    });
    begin();
  }

  /** Offer the human's role first to the person who has the conversation, and the customer's to others. */
  function begin() {
    const human = document.getElementById("composer-actions")?.dataset.human;
    const as = role();
    if (as && human !== form.dataset.user) as.value = "say";
    address();
  }

  /** The field for the role of the author, while a human answers. @returns {HTMLSelectElement | null | undefined} */
  function role() {
    return document.querySelector("#composer-actions select[name=op]");
  }

  /** Keep the role of the author of a text in the field, and show the role in the empty field. */
  function address() {
    const actions = document.getElementById("composer-actions");
    const as = role();
    if (text.value.trim() && author !== (as?.value ?? "say")) {
      if (as) as.value = author;
      else showNotice("You wrote this as the human. It will now be sent as the customer.");
    }
    text.placeholder =
      as?.value === "say" ? "Message as the customer" : (actions?.dataset.placeholder ?? text.placeholder);
    form.toggleAttribute("data-as-human", as?.value === "reply");
    form.querySelector('label[for="message-text"]')?.replaceChildren(text.placeholder);
  }

  document.addEventListener("click", (event) => {
    const starter = /** @type {Element} */ (event.target).closest("[data-starter]");
    if (!starter) return;
    const typed = text.value.trim();
    text.value = starter.textContent ?? "";
    text.focus();
    form.requestSubmit();
    if (!typed) return;
    text.value += ` ${typed}`; // the next message
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });

  /** Report whether the author types the next message after the one that is on its way. */
  const isContinued = () => awaited.id && text.value !== awaited.text && text.value.startsWith(awaited.text);

  /** Report whether nodes show a message, in chat or queue. @param {Iterable<Node>} nodes @param {string} id */
  const show = (nodes, id) =>
    [...nodes].some(
      (node) =>
        node instanceof Element &&
        (node.matches(`[data-message="${id}"]`) || node.querySelector(`[data-message="${id}"]`)),
    );

  const arrived = new MutationObserver((records) => {
    const nodes = records.flatMap((record) => [...record.addedNodes]);
    const isNext = awaited.id !== id.value && isContinued() && show(nodes, awaited.id);
    if (!isNext && !show(nodes, id.value)) return;
    if (isNext) text.value = text.value.slice(awaited.text.length).trimStart();
    else if (text.value === sent) text.value = "";
    form.querySelector(".values[open]")?.removeAttribute("open");
    [id.value, sent, onItsWay, awaited] = [newId(), "", "", { id: "", text: "" }];
    keep();
    showNotice("");
    sendHeld();
  });
  arrived.observe(log, { childList: true });
  if (chat && document.getElementById("queue")) arrived.observe(chat, { childList: true });

  // A message that was sent into a lost socket is sent again by the next one, unless it was rejected. Its id makes it
  // count once.
  form.addEventListener("htmx:wsAfterSend", ({ detail }) => (onItsWay = detail.message));
  const isRefused = () => document.querySelector("#composer-notice:not([data-pending], :empty)") !== null;
  chat?.addEventListener("htmx:oobAfterSwap", () => isRefused() && (onItsWay = ""));
  chat?.addEventListener("htmx:wsClose", () => onItsWay && showPending());
  chat?.addEventListener("htmx:wsOpen", ({ detail }) => onItsWay && detail.socketWrapper.send(onItsWay, form));

  /** Send the held message as it stands in the field now, after one that is on its way. */
  function sendHeld() {
    if (!isHeld || onItsWay || isUnreachable()) return;
    isHeld = false;
    if (text.value.trim()) form.requestSubmit();
  }
  for (const name of ["baton:online", "htmx:wsOpen"]) document.body.addEventListener(name, sendHeld);

  // Files cannot be sent: a notice says so, and the text stays.
  form.addEventListener("paste", (event) => refuseFiles(event, event.clipboardData));
  for (const kind of ["dragover", "drop"]) {
    chat?.addEventListener(kind, (event) => refuseFiles(event, /** @type {DragEvent} */ (event).dataTransfer));
  }

  /** @param {Event} event @param {DataTransfer | null} carried */
  function refuseFiles(event, carried) {
    if (!carried?.types.includes("Files") || carried.types.includes("text/plain")) return;
    event.preventDefault();
    if (event.type === "dragover") carried.dropEffect = "none";
    showNotice("Files cannot be attached to a rehearsal. Describe the file in a message instead.");
  }

  /** Keep the focus when the buttons are replaced at the begin and end of a run. */
  function keepFocus() {
    if (state?.contains(document.activeElement)) text.focus();
  }
}
