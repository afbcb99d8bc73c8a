// Break points pause a run at a stage or transition. They are set with B, by the mark at the corner of a stage, or from
// the
// context menu; the server lists them, and the canvas marks them.
import { announce } from "../core/notice.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("break-form"));
const canvas = /** @type {HTMLElement | null} */ (document.getElementById("canvas"));
const pane = document.getElementById("supervisor");
/** @type {HTMLElement | null} */
let menu = null;

if (canvas) {
  mark();
  if (pane) new MutationObserver(mark).observe(pane, { childList: true });
  document.addEventListener("htmx:wsAfterMessage", mark);
  if (form) listen(canvas);
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
  send({ stage: phase, source, target }, on);
  announce(`Break point ${on ? "set" : "removed"}: before ${phase ? "turns in " + phase : "handoffs " + transition}`);
}

/** @param {DOMStringMap | Record<string, string>} where @param {boolean} on */
function send({ stage = "", source = "", target = "" }, on) {
  if (!form || form.hasAttribute("data-sent")) return;
  for (const [name, value] of Object.entries({ stage, source, target, on: String(on) }))
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  form.requestSubmit();
  if (form.method === "post") form.dataset.sent = ""; // it begins a rehearsal, which loads another page
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
}

/** Open the context menu of a stage or edge. @param {HTMLElement} thing @param {number} x @param {number} y */
function ask(thing, x, y) {
  menu?.remove();
  const { phase, source, target } = thing.dataset;
  const isSet = thing.hasAttribute("data-break");
  const title = phase ? `Pause before turns in ${phase}` : `Pause before handoffs ${source} → ${target}`;
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
