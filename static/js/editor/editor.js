// The canvas that is drawn on: joins the gestures to the page.
import { isBlank, offerStages } from "./gestures/add-stage.js";
import { markProblems } from "./problem-marks.js";
import { Canvas, cardId } from "../canvas/canvas.js";
import { detail } from "../canvas/deferred-elements.js";
import { follow, isField } from "../canvas/pointer.js";
import { give, hearClipboard, listen, typeAhead } from "../canvas/commands/keys.js";
import { press } from "./gestures/gesture-start.js";
import { Selection } from "./selection.js";
import { showSheet } from "../core/panel-sheets.js";
import { View } from "../canvas/view.js";

const element = /** @type {HTMLElement} */ (document.getElementById("canvas"));

// The drawing waits in a template until htmx has been over the page: it looks at every attribute of every element, and
// finds nothing of its own in a drawing.
await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
const template = /** @type {HTMLTemplateElement} */ (element.querySelector("template"));
template.replaceWith(template.content);

const canvas = new Canvas(element);
const view = new View(canvas);
detail(canvas);
const selection = new Selection(canvas);
const connecting = { source: "", end() {} };

const page = { canvas, view, selection, connecting, bringIntoView, choose };

follow(canvas, view, (event) => press(event, page));
listen(page);
offerMenu();
hearClipboard(page);
offerStages(canvas, view);
markProblems(canvas);
selectAsThePageSays();
// The others come after the first picture: what they said until then is heard.
(globalThis.requestIdleCallback ?? setTimeout)(async () => (await import("./presence.js")).meet(page), {
  timeout: 500,
});
offerOutline();
document.body.addEventListener("htmx:afterSettle", offerOutline);

element.addEventListener("baton:drawn", () => markProblems(canvas));
document.body.addEventListener("htmx:oobAfterSwap", (event) => {
  if (/** @type {Element} */ (event.target).id === "problem-count") markProblems(canvas);
});

element.addEventListener("focusin", (event) => {
  const card = canvas.cards.get(/** @type {Element} */ (event.target).id);
  if (card && card.element.matches(":focus-visible")) view.reveal(card);
});

// The plugs of edges come with the first edge that someone looks at, the tips from afar with the first card.
/** @type {Promise<void> | undefined} */
let plugs, names;
for (const name of ["pointerover", "focusin"]) {
  element.addEventListener(name, (event) => {
    const target = /** @type {Element} */ (event.target);
    if (element.dataset.far && target.closest(".stage"))
      names ??= import("../canvas/name-tips.js").then(({ tellNames }) => tellNames(page, event));
    if (target.closest(".edge"))
      plugs ??= import("./gestures/reconnect-transition.js").then(({ offerPlugs }) => offerPlugs(page));
  });
}

/** Load a module when someone turns to what it is for. @param {any} part @param {() => unknown} load */
function onceMet(part, load) {
  for (const name of ["pointerover", "focusin"]) part.addEventListener(name, load, { once: true });
}

// Where the focus lands in the bottom panel is kept from that moment, and its height is a person's own.
onceMet(document.getElementById("bottom-panel"), () => import("./panels/focus-target.js"));
onceMet(document.querySelector(".sash"), () => import("./panels/panel-resize.js"));
if (localStorage["baton:panel"]) import("./panels/panel-resize.js");
if (localStorage.folded) import("../core/panel-folding.js");

element.addEventListener("dblclick", (event) => {
  const target = /** @type {Element} */ (event.target);
  const paper = target.closest(".note, .frame");
  if (paper) return write(paper.id);
  if (target.closest(".edge, button") || !isBlank(canvas, view.at(event))) return;
  typeAhead(give("add", page, view.at(event)));
});

// A sheet that opens over the canvas leaves what is selected in sight.
document.addEventListener("baton:sheet", () => selection.ids.size === 1 && selection.ids.forEach(bringIntoView));

// The server says what to select next: a new stage, say. It says so before its fragments are in the page.
document.body.addEventListener("baton:selected", (event) => {
  const subject = /** @type {CustomEvent} */ (event).detail;
  const isNew = /** @type {Element} */ (event.target).matches("[data-fresh]");
  setTimeout(() => {
    reveal(subject);
    if (isNew) import("./panels/focus-new.js").then(({ name }) => name(subject));
  });
});

// A button that is about something selects it: by kind and key or, in the list of problems, by where it is drawn.
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const place = target.closest("[data-goto]")?.closest("[data-where]")?.getAttribute("data-where") ?? "";
  const { select: kind = "", key = "" } =
    /** @type {HTMLElement | null} */ (target.closest("[data-select]"))?.dataset ?? {};
  if (canvas.elementOf(place)) choose(selection.subjectOf(place));
  else if (kind) choose({ kind, key });
});

/** The context menu: once it is here it opens at once, for the next key is the menu's. */
function offerMenu() {
  /** @type {typeof import("../canvas/commands/context-menu.js") | undefined} */
  let menu;
  element.addEventListener("contextmenu", async (event) => {
    if (isField(event.target)) return;
    event.preventDefault();
    (menu ??= await import("../canvas/commands/context-menu.js")).openMenu(page, event);
  });
  if (navigator.maxTouchPoints)
    import("../canvas/commands/menu-request.js").then(({ hearFinger }) => hearFinger(element));
}

/** @param {string} id of a card or an edge */
function bringIntoView(id) {
  const { source = id, target = "" } = canvas.edges.get(id) ?? {};
  for (const end of [source, target]) view.reveal(canvas.cards.get(end));
}

/** Select what a button is about. @param {import("./selection.js").Subject} subject */
function choose(subject) {
  const id = idOf(subject);
  selection.set([id]);
  selection.inspect(subject);
  showSheet(id ? "" : "right");
  bringIntoView(id);
}

/**
 * The id of what the server knows by kind and key, if it is on the canvas.
 * @param {import("./selection.js").Subject} subject
 */
function idOf({ kind, key }) {
  if (canvas.elementOf(`${kind}-${key}`)) return `${kind}-${key}`;
  const [source, target] = kind === "transition" ? key.split(">").map(cardId) : [];
  return (source && canvas.edgeBetween(source, target)) ?? "";
}

/** Write on a note, or in the title of a frame. @param {string} id */
const write = async (id) => (await import("./annotations/inline-editing.js")).write(page, id);

/** Select what the server says is to be selected. @param {import("./selection.js").Subject} subject */
function reveal(subject) {
  const id = idOf(subject);
  const typing = document.activeElement?.closest("#inspector, #outline, #find")?.id;
  // Where the pipeline is all that is left, what was selected has gone by itself.
  if (subject.kind !== "pipeline") selection.set([id]);
  if (typing !== "inspector") selection.inspect(subject);
  if (!typing) {
    canvas.elementOf(id)?.focus({ preventScroll: true });
    // A note that is new waits for its words.
    if (canvas.elementOf(id)?.matches(".note") && !canvas.elementOf(id)?.textContent) write(id);
  }
  bringIntoView(id);
}

/** The page may come with something selected: its address says what. */
function selectAsThePageSays() {
  const [kind, key = ""] = (new URLSearchParams(location.search).get("select") ?? "").split(/:(.*)/);
  if (kind) canvas.complete();
  selection.set([idOf({ kind, key })]);
  selection.markLinks();
  // Drawing begins with nothing: the keys are the canvas's then, but a phone has none.
  if (!canvas.cards.size && matchMedia("(width > 900px)").matches) element.focus();
}

/** The outline, where it is open. */
function offerOutline() {
  if (document.getElementById("outline")) import("./panels/outline.js").then(({ attach }) => attach(page));
}
