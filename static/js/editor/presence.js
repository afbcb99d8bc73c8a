// Others in the same pipeline: what they change comes in between one's own gestures, and where they are is shown.
import { submit } from "./submit-gesture.js";
import { typing } from "./panels/inspector.js";
import { announce, notify } from "../core/notice.js";

const NOT_ALLOWED = 4401;
const HTMX_RECONNECTS = [1006, 1011, 1012, 1013];
const PAUSE = 150; // milliseconds for which a selection stands before the others hear of it
const PATIENCE = 5000; // milliseconds before one asks again for what did not come; twice as many each time
const MOST = 20; // how many selected elements they hear of

const { body } = document;
const root = /** @type {HTMLElement} */ (document.getElementById("together"));
const [catchUpForm, lookForm] = ["catch-up-form", "look-form"].map(
  (id) => /** @type {HTMLFormElement} */ (document.getElementById(id)),
);

/** The latest that was heard: of which version, and whose doing it is. A socket that opens says it at once. */
const bell = () => /** @type {HTMLElement} */ (document.getElementById("latest")).dataset;

/** The version that the page shows. */
const version = () => Number(/** @type {HTMLInputElement} */ (document.getElementById("pipeline-version")).value);

/** Whether the inspector's form is left alone at this moment: what it says is not saved. */
const isTyping = () => !["", "field"].includes(typing());

/** @param {import("../canvas/commands/command-table.js").Page} page */
export function meet({ canvas, selection }) {
  hear(canvas);
  show(canvas);
  look(canvas, selection);
  root.dispatchEvent(new Event("htmx:wsAfterMessage")); // what was said before this module was there
}

/**
 * Take in what others change. An answer to a gesture of one's own knows all that came before it, so it is waited for.
 * @param {import("../canvas/canvas.js").Canvas} canvas
 */
function hear(canvas) {
  // what was sent before this module was there counts, too
  let flying = document.querySelectorAll(".htmx-request").length;
  let kept = false; // the inspector, while something that it may show became something else
  let [asked, patience, timer] = [0, PATIENCE, 0]; // asked: for which version

  /** Ask for what the bell rang for, once: again only when it rings for more, or when nothing has come for long. */
  function catchUp() {
    const latest = Number(bell().version);
    if (latest <= version()) patience = PATIENCE;
    if (flying || latest <= Math.max(asked, version())) return;
    asked = latest;
    catchUpForm.typing.value = typing();
    htmx.trigger(catchUpForm, "baton:behind");
    clearTimeout(timer);
    timer = setTimeout(() => {
      forget();
      patience *= 2;
      if (bell().heard !== undefined) catchUp();
    }, patience);
  }

  const forget = () => void (asked = 0);

  /** Show what the inspector was spared, once nobody is in it; that it is saved is said still. */
  async function refresh() {
    if (!kept || flying || isTyping()) return;
    kept = false;
    const selected = () =>
      /** @type {HTMLInputElement} */ (document.querySelector("#inspector-state [name=select]")).value;
    const state = () => /** @type {HTMLElement} */ (document.getElementById("save-state"));
    const [before, said] = [selected(), state().textContent ?? ""];
    const [kind, key = ""] = before.split(/:(.*)/);
    await submit("select", { kind, key });
    if (said.startsWith("Saved") && selected() === before) state().textContent ||= said;
  }

  body.addEventListener("htmx:beforeSend", () => void (flying += 1));
  body.addEventListener("htmx:afterRequest", () => {
    flying = Math.max(0, flying - 1);
    setTimeout(() => (catchUp(), refresh()));
  });
  document.getElementById("inspector")?.addEventListener("focusout", () => setTimeout(refresh));

  root.addEventListener("htmx:wsBeforeMessage", (event) => {
    const { message } = /** @type {CustomEvent} */ (event).detail;
    const [, latest] = /name="version" value="(\d+)"/.exec(message) ?? [];
    if (!latest) return; // a bell, or who is here
    event.preventDefault();
    if (flying) return forget(); // and ask anew when the answer is there
    if (Number(latest) <= version()) return;
    kept ||= isTyping();
    canvas.complete();
    htmx.swap(body, message, { swapStyle: "none" });
    tell();
  });
  root.addEventListener("htmx:wsAfterMessage", () => {
    listen();
    tell();
    catchUp();
  });
  root.addEventListener("htmx:wsClose", (event) => {
    const { event: closed, socketWrapper } = /** @type {CustomEvent} */ (event).detail;
    delete bell().heard;
    clearTimeout(timer);
    forget();
    if (closed.code === NOT_ALLOWED)
      notify("You are signed out, or this pipeline is shared with you no longer. Load the page anew to go on.");
    else if (!HTMX_RECONNECTS.includes(closed.code)) setTimeout(() => socketWrapper.reconnect(), 1000);
  });
}

/** What others did that the page does not show yet, by the version it made. @type {Map<number, string>} */
const heard = new Map();

/** Say whose doing it is that the page shows now: the bells may come before or after it, and several at once. */
function tell() {
  const due = [...heard].filter(([made]) => made <= version()).sort(([a], [b]) => a - b);
  for (const [made] of due) heard.delete(made);
  if (due.length) announce(due.map(([, said]) => said).join(". "));
}

/** Take in what a bell is about. */
function listen() {
  const { who, label, made } = bell();
  if (who && made) heard.set(Number(made), `${who}: ${label}`);
  delete bell().made; // once
}

// What is added is there once, whichever way it came.
body.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = /** @type {CustomEvent} */ (event).detail;
  for (const child of fragment.children) {
    const double = child.id && document.getElementById(child.id);
    if (double && double !== target && target.contains(double)) double.remove();
  }
});

/** Mark what others have selected. @param {import("../canvas/canvas.js").Canvas} canvas */
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
 * Tell the others what is selected here.
 * @param {import("../canvas/canvas.js").Canvas} canvas
 * @param {import("./selection.js").Selection} selection
 */
function look(canvas, selection) {
  let [said, timer] = ["", 0];

  function say() {
    const at = [...selection.ids].slice(0, MOST).join(" ");
    if (at === said || bell().heard === undefined) return;
    lookForm.at.value = said = at;
    htmx.trigger(lookForm, "baton:look");
  }
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(say, PAUSE);
  };
  new MutationObserver(soon).observe(canvas.element, { subtree: true, attributeFilter: ["aria-current"] });
  root.addEventListener("htmx:wsAfterMessage", () => selection.ids.size && soon());
  root.addEventListener("htmx:wsClose", () => (said = ""));
}
