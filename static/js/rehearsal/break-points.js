// Break points pause a run at a stage or transition. Each has a place, at the corner of its card or at the beginning of
// its line; they are also set with B, from the context menu and from the palette. The server lists them. Those that are
// set before the first message, which sends them, are listed by the page and its address.
import { announce } from "../core/notice.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("break-form"));
const blank = form?.querySelector("template"); // before the first message
const canvas = /** @type {HTMLElement | null} */ (document.getElementById("canvas"));
const pane = document.getElementById("supervisor");
/** @type {HTMLElement | null} */
let menu = null;

if (canvas) {
  mark();
  if (pane) new MutationObserver(mark).observe(pane, { childList: true });
  document.addEventListener("htmx:wsAfterMessage", mark);
  if (form) {
    listen(canvas);
    addPlaces(canvas);
  }
}

/** Add the places of break points to the cards and the lines. @param {HTMLElement} canvas */
function addPlaces(canvas) {
  for (const stage of /** @type {NodeListOf<HTMLElement>} */ (canvas.querySelectorAll(".stage[data-phase]"))) {
    const place = Object.assign(document.createElement("button"), { type: "button", className: "break-place" });
    place.tabIndex = -1; // by key: B on the card
    place.title = titleOf(stage);
    place.setAttribute("aria-label", titleOf(stage));
    stage.append(place);
  }
  for (const line of /** @type {NodeListOf<SVGPathElement>} */ (canvas.querySelectorAll("g.edge > .line"))) {
    const place = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    place.classList.add("break-place");
    place.setAttribute("r", "6");
    line.parentElement?.append(place);
    putOnLine(line);
  }
  mark();
  new MutationObserver((records) => {
    for (const { target } of records) if (target instanceof SVGPathElement) putOnLine(target);
  }).observe(canvas, { subtree: true, attributes: true, attributeFilter: ["d"] });
  canvas.addEventListener("click", (event) => {
    const thing = placeAt(event);
    if (!thing) return;
    event.stopPropagation();
    toggle(thing);
  });
}

/** The card or line whose place is pressed, also one under the wide line of an edge. @param {MouseEvent} event */
function placeAt({ target, clientX, clientY }) {
  const pressed = /** @type {Element} */ (target);
  const under = pressed.closest(".edge") ? document.elementsFromPoint(clientX, clientY) : [];
  const place = pressed.closest(".break-place") ?? under.find((element) => element.matches(".break-place"));
  return place && thingOf(place);
}

/** Put the place of a break point near the beginning of a line. @param {SVGPathElement} line */
function putOnLine(line) {
  const place = line.parentElement?.querySelector(":scope > .break-place");
  if (!place || !line.classList.contains("line") || !line.getAttribute("d")) return;
  if (place.nextElementSibling) place.parentElement?.append(place); // above the wide line for the pointer
  const { x, y } = line.getPointAtLength(Math.min(22, line.getTotalLength() / 2));
  place.setAttribute("cx", String(x));
  place.setAttribute("cy", String(y));
}

/** The words for a break point at a stage or edge. @param {HTMLElement} thing */
function titleOf({ dataset: { phase, source, target } }) {
  return phase ? `Pause before turns in ${phase}` : `Pause before handoffs ${source} → ${target}`;
}

/** The break points that can be set or removed, for the palette. */
export function breakPointEntries() {
  const things = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("#canvas .stage[data-phase], #canvas g.edge[data-source]")
  );
  if (!form) return [];
  return [...things].map((thing) => ({
    id: `break:${thing.id}`,
    title: thing.hasAttribute("data-break") ? `Remove: ${titleOf(thing).toLowerCase()}` : titleOf(thing),
    kind: "Break point",
    keys: [],
    run: () => toggle(thing),
  }));
}

/** @param {HTMLElement} canvas */
function listen(canvas) {
  canvas.addEventListener("contextmenu", (event) => {
    const thing = thingOf(event.target);
    if (!thing) return;
    event.preventDefault();
    const box = thing.getBoundingClientRect();
    const byKey = event.clientX === 0 && event.clientY === 0;
    ask(thing, byKey ? box.left + box.width / 2 : event.clientX, byKey ? box.top + box.height / 2 : event.clientY);
  });
  document.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-unmark]");
    const element = button && document.getElementById(button.closest("li")?.dataset.element ?? "");
    if (element) toggle(element);
    else if (button) send(/** @type {HTMLElement} */ (button.closest("li")).dataset, false);
  });
}

/** Set or remove a break point on the focused stage or transition. */
export function toggleFocused() {
  const thing = thingOf(document.activeElement);
  if (thing) toggle(thing);
}

/** The stage or edge around an element. @param {EventTarget | null} target */
const thingOf = (target) =>
  /** @type {HTMLElement | null} */ (
    target instanceof Element ? target.closest("#canvas .stage[data-phase], #canvas g.edge") : null
  );

/** Set or remove a break point. @param {HTMLElement | Element} thing */
function toggle(thing) {
  const { phase = "", source = "", target = "" } = /** @type {HTMLElement} */ (thing).dataset;
  const on = !thing.hasAttribute("data-break");
  const transition = `${source} → ${target}`;
  if (blank) collect(/** @type {HTMLElement} */ (thing), on);
  else send({ stage: phase, source, target }, on);
  announce(`Break point ${on ? "set" : "removed"}: before ${phase ? "turns in " + phase : "handoffs " + transition}`);
}

/** @param {DOMStringMap | Record<string, string>} where @param {boolean} on */
function send({ stage = "", source = "", target = "" }, on) {
  if (!form) return;
  for (const [name, value] of Object.entries({ stage, source, target, on: String(on) }))
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  form.requestSubmit();
}

/** Add a break point to those of the first message, or remove it. @param {HTMLElement} thing @param {boolean} on */
function collect(thing, on) {
  const points = /** @type {HTMLElement} */ (document.getElementById("break-points"));
  const { phase, source, target } = thing.dataset;
  if (on) {
    const item = /** @type {any} */ (blank?.content.cloneNode(true)).firstElementChild;
    item.dataset.element = thing.id;
    const label = titleOf(thing).replace("Pause ", "");
    item.querySelector("span").textContent = label;
    item.querySelector("button").setAttribute("aria-label", `Remove the break point ${label}`);
    item.querySelector("input").value = phase || `${source} ${target}`;
    points.append(item);
  } else points.querySelector(`[data-element="${CSS.escape(thing.id)}"]`)?.remove();
  const address = new URL(location.href);
  address.searchParams.delete("break_point");
  for (const { value } of points.querySelectorAll("input")) address.searchParams.append("break_point", value);
  history.replaceState(history.state, "", address);
  mark();
}

/** Mark the listed break points on the canvas. */
function mark() {
  const wanted = new Set(
    [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#break-points > li"))].map(
      (one) => one.dataset.element ?? "",
    ),
  );
  for (const element of document.querySelectorAll("#canvas [data-break]"))
    if (!wanted.has(element.id)) element.removeAttribute("data-break");
  for (const id of wanted) document.getElementById(id)?.setAttribute("data-break", "");
  for (const place of document.querySelectorAll("#canvas button.break-place"))
    place.setAttribute("aria-pressed", String(wanted.has(place.parentElement?.id ?? "")));
}

/** Open the context menu of a stage or edge. @param {HTMLElement} thing @param {number} x @param {number} y */
function ask(thing, x, y) {
  menu?.remove();
  const isSet = thing.hasAttribute("data-break");
  const title = titleOf(thing);
  menu = Object.assign(document.createElement("div"), { className: "context-menu" });
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", thing.getAttribute("aria-label")?.split(",")[0] ?? "");
  const item = Object.assign(document.createElement("button"), { type: "button", role: "menuitem" });
  item.append(
    Object.assign(document.createElement("span"), { textContent: isSet ? "Remove the break point" : title }),
    Object.assign(document.createElement("kbd"), { textContent: "B" }),
  );
  menu.append(item);
  canvas?.after(menu);
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - box.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - box.height - 8))}px`;
  const leave = () => {
    menu?.remove();
    menu = null;
    thing.focus({ preventScroll: true });
  };
  item.addEventListener("click", () => {
    leave();
    toggle(thing);
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "Tab") return;
    event.preventDefault();
    leave();
  });
  menu.addEventListener(
    "focusout",
    () => menu && queueMicrotask(() => menu?.contains(document.activeElement) || menu?.remove()),
  );
  item.focus({ preventScroll: true });
}
