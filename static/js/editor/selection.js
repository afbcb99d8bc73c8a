// What is selected: marked on the canvas, and shown in the inspector when it is one thing.
import { submit } from "./submit-gesture.js";
import { announce } from "../core/notice.js";

/** What of the page the server knows under which name. @typedef {{kind: string, key: string}} Subject */

/** What can be pointed at, selected and taken up. */
export const THINGS = ".stage, .supervisor, .edge, .note, .frame";

/** The id of the stage, the edge, the note, the frame or the supervisor in focus; "" if there is none. */
export const focused = () => document.activeElement?.closest(THINGS)?.id ?? "";

export class Selection {
  /** @param {import("../canvas/canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    /** @type {Set<string>} ids of elements: they outlive the elements, which a swap replaces */
    this.ids = new Set();
    /** @type {string[]} what was selected when it went */
    this.gone = [];
    this.asked = "";
    this.timer = 0;
    canvas.element.addEventListener("baton:drawn", () => this.#follow());
    document.body.addEventListener("htmx:afterSettle", () => this.markLinks());
  }

  /** @param {Iterable<string>} ids */
  set(ids) {
    this.ids = new Set([...ids].filter((id) => this.canvas.elementOf(id)));
    this.mark();
  }

  /** @param {string} id */
  toggle(id) {
    this.set(this.ids.has(id) ? [...this.ids].filter((other) => other !== id) : [...this.ids, id]);
  }

  /** Select one element, show it in the inspector, and say so. @param {string} id */
  pick(id) {
    this.set([id]);
    this.open();
    announce(`${this.titleOf(id)} selected`);
  }

  clear() {
    this.set([]);
    this.open();
  }

  /** What a command is about: the element in focus or, if that is among the selected ones, all of those. */
  get subject() {
    const id = focused();
    return id && !this.ids.has(id) ? [id] : [...this.ids];
  }

  /** Show what is selected in the inspector. Walking past many stages asks for the last one only. */
  open() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.ids.size > 1) return;
      const [id] = this.ids;
      this.inspect(id ? this.subjectOf(id) : { kind: "pipeline", key: "" });
    }, 60);
  }

  /** Have the inspector show something, unless it does. @param {Subject} subject */
  async inspect(subject) {
    if ((this.asked || inspected()) === nameOf(subject)) return;
    this.asked = nameOf(subject);
    await submit("select", { ...subject });
    if (this.asked === nameOf(subject)) this.asked = "";
  }

  /** Mark what the inspector shows in the lists around the canvas. */
  markLinks() {
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".left [data-select]"))) {
      const current = nameOf({ kind: link.dataset.select ?? "", key: link.dataset.key ?? "" }) === inspected();
      if (current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** @param {string} id @returns {Subject} */
  subjectOf(id) {
    const {
      phase: stage,
      agent,
      note,
      frame,
      source,
      target,
    } = /** @type {HTMLElement} */ (this.canvas.elementOf(id)).dataset;
    const [kind, key = ""] = Object.entries({ stage, agent, note, frame }).find(([, key]) => key) ?? [
      "transition",
      `${source}>${target}`,
    ];
    return { kind, key };
  }

  /** @param {string} id */
  titleOf(id) {
    return this.canvas.elementOf(id)?.getAttribute("aria-label")?.split(",")[0] ?? "";
  }

  /**
   * After a swap: what is gone is selected no longer and, come back, it is again, unless something else is. The
   * inspector is left alone while someone types in it.
   */
  #follow() {
    const there = (id) => this.canvas.elementOf(id);
    const gone = [...this.ids].filter((id) => !there(id));
    const back = this.ids.size ? [] : this.gone.filter(there);
    this.set([...this.ids, ...back]);
    if (!gone.length && !back.length) return;
    this.gone = gone;
    if (document.querySelector("#inspector:focus-within, #merge > *")) return;
    if (back.length || !this.ids.size) this.open();
    there(back[0])?.focus({ preventScroll: true });
  }

  /** Mark what is selected, in the page as it is now. */
  mark() {
    for (const element of this.canvas.element.querySelectorAll('[aria-current="true"]')) {
      if (!this.ids.has(element.id)) element.removeAttribute("aria-current");
    }
    for (const id of this.ids) this.canvas.elementOf(id)?.setAttribute("aria-current", "true");
    if (this.ids.size > 1) import("./panels/multi-selection.js").then(({ showSeveral }) => showSeveral(this));
    else this.several();
  }

  several() {}
}

/** What a subject is called in addresses. @param {Subject} subject */
const nameOf = ({ kind, key }) => (key ? `${kind}:${key}` : kind);

/** What the inspector shows, as it says itself. */
const inspected = () =>
  /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"))?.value ?? "";
