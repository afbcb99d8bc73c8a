// The canvas of the editor: connects the gestures to the page.
import { load } from "../core/offline.js";
import { Canvas, cardId } from "../canvas/canvas.js";
import { EDITOR_KEYS, listen, offerCommands } from "../canvas/commands/key-bindings.js";
import { showDetails } from "../canvas/deferred-elements.js";
import { followPointers, isField } from "../canvas/pointer.js";
import { View } from "../canvas/view.js";
import { showSheet } from "../core/panel-sheets.js";
import { offerStages, press } from "./gestures/gesture-start.js";
import { Selection } from "./selection.js";

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));

// The drawing waits in a template until htmx has processed the page: htmx looks at every attribute of every element,
// and the drawing has none for it.
await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
const template = /** @type {HTMLTemplateElement} */ (element.querySelector("template"));
template.replaceWith(template.content);

const canvas = new Canvas(element);
const view = new View(canvas);
showDetails(canvas);
const selection = new Selection(canvas);
const connecting = { source: "", end() {} };

/** @type {import("../canvas/commands/command.js").Page} */
const page = /** @type {any} */ ({ canvas, view, selection, connecting, bringIntoView, choose });

const isViewOnly = document.body.classList.contains("view-only");

let hadProblems = false;

/** Mark the parts with problems, and group equal problems. The module loads with the first problem. */
async function showProblems(name = "showProblems") {
  hadProblems ||= !!document.querySelector("#problems > [class^=issue]");
  if (hadProblems) (await load(import("./panels/problems.js")))[name](canvas);
}

offerCommands(page, () => load(import("./commands.js")));
followPointers(canvas, view, (event) => press(event, page));
listen(page, EDITOR_KEYS);
offerMenu();
offerClipboard();
if (!isViewOnly) offerStages(page);
offerMultiSelection();
offerTabOrder();
showProblems();
selectFromAddress();
// Presence loads after the first picture; messages received until then are kept in the page.
(globalThis.requestIdleCallback ?? setTimeout)(async () => (await load(import("./presence.js"))).joinEditors(page), {
  timeout: 500,
});
offerOutline();
document.body.addEventListener("htmx:afterSettle", ({ detail }) => {
  offerOutline();
  if (detail.target?.id === "bottom-panel") showProblems();
});

element.addEventListener("baton:drawn", () => showProblems("markProblems"));
document.body.addEventListener("htmx:oobAfterSwap", (event) => {
  if (/** @type {Element} */ (event.target).id === "problem-count") showProblems();
});

element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card?.element.matches(":focus-visible")) view.reveal(card);
});

// The handles of edges load with the first hovered edge, the name tips with the first stage hovered at a small scale.
/** @type {Promise<void> | undefined} */
let handles, tips;
for (const name of ["pointerover", "focusin"]) {
  element.addEventListener(name, (event) => {
    const target = /** @type {Element} */ (event.target);
    if (element.dataset.far && target.closest(".stage"))
      tips ??= load(import("../canvas/name-tips.js")).then(
        ({ showTips }) => showTips(page, event),
        () => (tips = undefined),
      );
    if (target.closest(".edge"))
      handles ??= load(import("./gestures/reconnect-transition.js")).then(
        ({ offerHandles }) => offerHandles(page),
        () => (handles = undefined),
      );
  });
}

/**
 * Load a module when its part of the page is first hovered or focused, or later if it cannot be loaded.
 * @param {any} part
 * @param {() => Promise<unknown>} use
 * @param {string[]} [events]
 */
function onFirstUse(part, use, events = ["pointerover", "focusin"]) {
  const first = () => {
    for (const name of events) part.removeEventListener(name, first);
    use().catch(() => onFirstUse(part, use, events));
  };
  for (const name of events) part.addEventListener(name, first);
}

onFirstUse(document.getElementById("bottom-panel"), () => load(import("./panels/focus-target.js")));
for (const handle of document.querySelectorAll(".resize-handle"))
  onFirstUse(handle, () => load(import("./panels/panel-resize.js")));
if (localStorage["baton:panel"]) load(import("./panels/panel-resize.js"));
if (localStorage.folded) load(import("../core/panel-folding.js"));

element.addEventListener("dblclick", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest(".edge, button")) return;
  const isPart = target.closest(".note, .frame, .stage"); // selected by the first click
  if (isPart || canvas.isBlank(view.at(event))) page.give(isPart ? "write" : "add", view.at(event));
});

// A sheet that opens over the canvas keeps the selected part visible.
document.addEventListener("baton:sheet", () => selection.ids.size === 1 && selection.ids.forEach(bringIntoView));

// The server names the part to select next, such as a new stage. The event comes before its fragments are in the page.
document.body.addEventListener("baton:selected", (event) => {
  const subject = /** @type {CustomEvent} */ (event).detail;
  const sender = /** @type {Element} */ (event.target);
  // A person who is typing, such as the name of a stage, keeps the focus.
  const isNew = sender.matches("[data-focus-new]") && !isField(document.activeElement);
  const isSaved = sender.closest("#inspector");
  setTimeout(() => {
    // Another part may be selected since its form was left.
    const { ids, requested } = selection;
    if (isSaved && (requested || (ids.size && !ids.has(idOf(subject))))) return;
    reveal(subject);
    if (isNew) load(import("./panels/focus-new.js")).then(({ focusName }) => focusName(subject));
  });
});

// A button selects the part it is about: by kind and key or, in the list of problems, by its place on the canvas.
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const place = target.closest("[data-goto]")?.closest("[data-where]")?.getAttribute("data-where") ?? "";
  const button = /** @type {HTMLElement | null} */ (target.closest("[data-select]"));
  const { select: kind = "", key = "" } = button?.dataset ?? {};
  if (canvas.elementOf(place)) choose(selection.subjectOf(place));
  else if (kind) choose({ kind, key });
});

/** Open the context menu: without delay once it is loaded, because the next key belongs to it. */
function offerMenu() {
  /** @type {[typeof import("../canvas/commands/context-menu.js"), typeof import("./commands.js")] | undefined} */
  let loaded;
  element.addEventListener("contextmenu", async (event) => {
    if (isField(event.target)) return;
    event.preventDefault();
    loaded ??= /** @type {any} */ (
      await Promise.all([load(import("../canvas/commands/context-menu.js")), page.commands()])
    );
    const [{ openMenu }, { COMMANDS }] = /** @type {NonNullable<typeof loaded>} */ (loaded);
    openMenu(page, COMMANDS, event);
  });
  if (navigator.maxTouchPoints)
    load(import("../canvas/commands/menu-request.js")).then(({ hearLongPress }) => hearLongPress(element));
}

/** Let Tab follow the pipeline. The module loads with the first key or focus, before Tab reaches the canvas. */
function offerTabOrder() {
  const order = async () => (await load(import("../canvas/tab-order.js"))).orderByFlow(canvas);
  onFirstUse(globalThis, order, ["keydown", "focusin"]);
}

/** Copy, cut and paste by the events of the browser. */
function offerClipboard() {
  element.addEventListener("pointermove", (event) => (page.pointer = event));
  element.addEventListener("pointerleave", () => (page.pointer = undefined));

  for (const name of ["copy", "cut", "paste"]) {
    document.addEventListener(name, async (event) => {
      if (isViewOnly && name !== "copy") return;
      if (isField(event.target) || (name !== "paste" && `${getSelection()}`)) return;
      // The text and the pointer are read now: both are gone once the module is loaded.
      const text = /** @type {ClipboardEvent} */ (event).clipboardData?.getData("text");
      const at = page.pointer && view.at(page.pointer);
      (await load(import("./clipboard.js")))[name](page, text, at);
    });
  }
}

/** Show the panel for several selected parts. It loads with the first selection of several. */
function offerMultiSelection() {
  /** @type {[typeof import("./panels/multi-selection.js"), typeof import("./commands.js")] | undefined} */
  let loaded;
  selection.onMark = async () => {
    if (selection.ids.size > 1)
      loaded ??= await Promise.all([load(import("./panels/multi-selection.js")), page.commands()]);
    loaded?.[0].showSeveral(page, loaded[1].COMMANDS);
  };
}

/** @param {string} id of a card or an edge */
function bringIntoView(id) {
  for (const card of cardsOf(id)) view.reveal(card);
}

/** The card with an id, or the cards at both ends of an edge. @param {string} id */
function cardsOf(id) {
  const { source = id, target = "" } = canvas.edges.get(id) ?? {};
  return [source, target].flatMap((end) => canvas.cards.get(end) ?? []);
}

/** Select the part that a button is about. @param {import("./selection.js").Subject} subject */
function choose(subject) {
  const id = idOf(subject);
  selection.set([id]);
  selection.show(subject);
  showSheet(id ? "" : "right");
  load(import("../canvas/go-to.js")).then(({ goTo }) => goTo(view, cardsOf(id)));
}

/** The id of a subject on the canvas, or "". @param {import("./selection.js").Subject} subject */
function idOf({ kind, key }) {
  if (canvas.elementOf(`${kind}-${key}`)) return `${kind}-${key}`;
  const [source, target] = kind === "transition" ? key.split(">").map(cardId) : [];
  return (source && canvas.edgeBetween(source, target)) ?? "";
}

/** Edit a note or the title of a frame. @param {string} id */
const write = async (id) => (await load(import("./annotations/inline-editing.js"))).write(page, id);

/** Select the part that the server names. @param {import("./selection.js").Subject} subject */
function reveal(subject) {
  const id = idOf(subject);
  const typing = document.activeElement?.closest("#inspector, #outline, #find")?.id;
  // "pipeline" means that the selected part was deleted, which has cleared the selection already.
  if (subject.kind !== "pipeline") selection.set([id]);
  if (typing !== "inspector") selection.inspect(subject);
  if (!typing) {
    const part = canvas.elementOf(id);
    part?.focus({ preventScroll: true });
    // A new note is edited at once.
    if (part?.matches(".note") && !part.textContent) write(id);
  }
  bringIntoView(id);
}

/** Select the part named in the address of the page. */
function selectFromAddress() {
  const [kind, key = ""] = (new URLSearchParams(location.search).get("select") ?? "").split(/:(.*)/);
  if (kind) canvas.complete();
  selection.set([idOf({ kind, key })]);
  selection.markLinks();
  // An empty canvas takes the focus, for its shortcuts; on a narrow screen there is no keyboard.
  if (!canvas.cards.size && matchMedia("(width > 900px)").matches) element.focus();
}

/** Attach the outline, if it is open. */
function offerOutline() {
  if (document.getElementById("outline")) load(import("./panels/outline.js")).then(({ attach }) => attach(page));
}
