// Other people in the same pipeline: takes in their changes between one's own gestures, and shows their selection.
import { submit } from "./submit-gesture.js";
import { typing } from "./panels/inspector.js";
import { announce, notify } from "../core/notice.js";

const NOT_ALLOWED = 4401;
const HTMX_RECONNECTS = [1006, 1011, 1012, 1013];
const PAUSE = 150; // milliseconds before others hear of a selection
const RETRY_DELAY = 5000; // milliseconds before a lost answer is requested again; doubled each time
const MOST = 20; // largest number of selected elements to report

const { body } = document;
const root = /** @type {HTMLElement} */ (document.getElementById("together"));
const [catchUpForm, selectionForm] = ["catch-up-form", "look-form"].map(
  (id) => /** @type {HTMLFormElement} */ (document.getElementById(id)),
);

/** The latest signal: the version, and its author. A socket sends it when it opens. */
const latestSignal = () => /** @type {HTMLElement} */ (document.getElementById("latest")).dataset;

/** The version shown by the page. */
const version = () => Number(/** @type {HTMLInputElement} */ (document.getElementById("pipeline-version")).value);

/** Report whether the inspector's form has unsaved input, so that it is not replaced. */
const isTyping = () => !["", "field"].includes(typing());

/** @param {import("../canvas/commands/command.js").Page} page */
export function joinEditors({ canvas, selection }) {
  receiveChanges(canvas);
  show(canvas);
  sendSelection(canvas, selection);
  root.dispatchEvent(new Event("htmx:wsAfterMessage")); // for signals from before this module was loaded
}

/**
 * Take in the changes of others. An answer to one's own gesture contains all earlier changes, so it is awaited.
 * @param {import("../canvas/canvas.js").Canvas} canvas
 */
function receiveChanges(canvas) {
  // A request whose form was removed meanwhile does not count: htmx neither reports its end nor shows its answer.
  const isPending = () => document.querySelector(".htmx-request") !== null;
  let isOutdated = false; // whether the inspector was not updated
  let [requested, delay, timer] = [0, RETRY_DELAY, 0]; // requested: the requested version

  /** Request the missing changes once: again only after a newer signal, or after a long wait. */
  function catchUp() {
    const latest = Number(latestSignal().version);
    if (latest <= version()) delay = RETRY_DELAY;
    if (isPending() || latest <= Math.max(requested, version())) return;
    requested = latest;
    requestChanges();
    clearTimeout(timer);
    timer = setTimeout(() => {
      forgetRequest();
      delay *= 2;
      if (latestSignal().heard !== undefined) catchUp();
    }, delay);
  }

  function requestChanges() {
    catchUpForm.typing.value = typing();
    htmx.trigger(catchUpForm, "baton:behind");
  }

  const forgetRequest = () => void (requested = 0);

  /** Update the inspector once nobody types in it; the note that it is saved stays. */
  async function refresh() {
    if (!isOutdated || isPending() || isTyping()) return;
    isOutdated = false;
    const selected = () =>
      /** @type {HTMLInputElement} */ (document.querySelector("#inspector-state [name=select]")).value;
    const state = () => /** @type {HTMLElement} */ (document.getElementById("save-state"));
    const [before, sent] = [selected(), state().textContent ?? ""];
    const [kind, key = ""] = before.split(/:(.*)/);
    await submit("select", { kind, key });
    if (sent.startsWith("Saved") && selected() === before) state().textContent ||= sent;
  }

  body.addEventListener("htmx:afterRequest", () => setTimeout(() => (catchUp(), refresh())));
  document.getElementById("inspector")?.addEventListener("focusout", () => setTimeout(refresh));

  body.addEventListener("htmx:oobErrorNoTarget", (event) => {
    if (/** @type {CustomEvent} */ (event).detail.content.id === "version-chip") requestChanges();
  });

  root.addEventListener("htmx:wsBeforeMessage", (event) => {
    const { message } = /** @type {CustomEvent} */ (event).detail;
    const [, latest] = /name="version"\s+value="(\d+)"/.exec(message) ?? [];
    if (!latest) return; // a signal, or a list of people
    event.preventDefault();
    if (isPending()) return forgetRequest(); // and ask again after the answer
    if (Number(latest) <= version()) return;
    isOutdated ||= isTyping();
    canvas.complete();
    htmx.swap(body, message, { swapStyle: "none" });
    announceChanges();
  });
  root.addEventListener("htmx:wsAfterMessage", () => {
    rememberChange();
    announceChanges();
    catchUp();
  });
  root.addEventListener("htmx:wsClose", (event) => {
    const { event: closed, socketWrapper } = /** @type {CustomEvent} */ (event).detail;
    delete latestSignal().heard;
    clearTimeout(timer);
    forgetRequest();
    if (closed.code === NOT_ALLOWED)
      notify("You are signed out, or this pipeline was deleted or is no longer shared with you. Reload the page.");
    else if (!HTMX_RECONNECTS.includes(closed.code)) setTimeout(() => socketWrapper.reconnect(), 1000);
  });
}

/** Changes of others that the page does not show yet, by version. @type {Map<number, string>} */
const pendingChanges = new Map();

/** Announce the changes that the page shows now. Signals may come before or after them, several at once. */
function announceChanges() {
  const due = [...pendingChanges].filter(([made]) => made <= version()).sort(([a], [b]) => a - b);
  for (const [made] of due) pendingChanges.delete(made);
  if (due.length) announce(due.map(([, sent]) => sent).join(". "));
}

/** Remember the change of a signal. */
function rememberChange() {
  const { who, label, made } = latestSignal();
  if (who && made) pendingChanges.set(Number(made), `${who}: ${label}`);
  delete latestSignal().made; // once
}

// An element may arrive by the socket and by an answer; the earlier one is removed.
body.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment, shouldSwap } = /** @type {CustomEvent} */ (event).detail;
  if (!shouldSwap) return; // a form with unsaved input stays
  for (const child of fragment.children) {
    const double = child.id && document.getElementById(child.id);
    if (double && double !== target && target.contains(double)) double.remove();
  }
});

/** Mark the selections of others. @param {import("../canvas/canvas.js").Canvas} canvas */
function show(canvas) {
  /** @type {Set<Element>} */
  let marked = new Set();

  function mark() {
    const before = marked;
    marked = new Set();
    for (const { dataset, firstElementChild } of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("#people > li")
    )) {
      for (const id of dataset.at?.split(" ") ?? []) {
        const element = canvas.elementOf(id);
        if (!element) continue;
        element.setAttribute("data-by", dataset.name ?? "");
        element.style.setProperty("--by", firstElementChild?.getAttribute("data-hue") ?? "");
        marked.add(element);
      }
    }
    for (const element of before) if (!marked.has(element)) element.removeAttribute("data-by");
  }

  canvas.element.addEventListener("baton:drawn", mark);
  root.addEventListener("htmx:wsAfterMessage", mark);
  mark();
}

/**
 * Send one's own selection to the others.
 * @param {import("../canvas/canvas.js").Canvas} canvas
 * @param {import("./selection.js").Selection} selection
 */
function sendSelection(canvas, selection) {
  let [sent, timer] = ["", 0];

  function send() {
    const at = [...selection.ids].slice(0, MOST).join(" ");
    if (at === sent || latestSignal().heard === undefined) return;
    selectionForm.at.value = sent = at;
    htmx.trigger(selectionForm, "baton:look");
  }
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(send, PAUSE);
  };
  new MutationObserver(soon).observe(canvas.element, { subtree: true, attributeFilter: ["aria-current"] });
  root.addEventListener("htmx:wsAfterMessage", () => selection.ids.size && soon());
  root.addEventListener("htmx:wsClose", () => (sent = ""));
}
