// The selection: marked on the canvas, and shown in the inspector if it is a single part.
import { announce } from "../core/notice.js";
import { submit } from "./submit-gesture.js";

/**
 * A part of the pipeline, by the server's name of its kind and its key.
 * @typedef {{kind: string, key: string}} Subject
 */

/** Parts of the canvas that can be selected. */
export const PARTS = ".stage, .supervisor, .edge, .note, .frame";

/** The id of the part in focus, or "". */
export const focused = () => document.activeElement?.closest(PARTS)?.id ?? "";

export class Selection {
  /** @param {import("../canvas/canvas.js").Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    /** @type {Set<string>} ids of elements, which remain the same when a swap replaces the elements */
    this.ids = new Set();
    /** @type {string[]} ids that were selected when they were removed */
    this.gone = [];
    this.requested = "";
    this.timer = 0;
    canvas.element.addEventListener("baton:drawn", () => this.#update());
    document.body.addEventListener("htmx:afterSettle", () => this.markLinks());
  }

  /** Called after each change; the editor shows the panel for several selected parts. */
  onMark() {}

  /** @param {Iterable<string>} ids */
  set(ids) {
    this.ids = new Set([...ids].filter((id) => this.canvas.elementOf(id)));
    this.mark();
  }

  /** @param {string} id */
  toggle(id) {
    this.set(this.ids.has(id) ? [...this.ids].filter((other) => other !== id) : [...this.ids, id]);
  }

  /** Select one part, show it in the inspector, and announce it. @param {string} id */
  pick(id) {
    this.set([id]);
    this.open();
    announce(`${this.titleOf(id)} selected`);
  }

  clear() {
    this.set([]);
    this.open();
  }

  /** The ids that a command is about: the focused part or, if it is selected, the whole selection. */
  get subject() {
    const id = focused();
    return id && !this.ids.has(id) ? [id] : [...this.ids];
  }

  /** Show the selection in the inspector. After a walk past many stages, only the last one is requested. */
  open() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.ids.size > 1) return;
      const [id] = this.ids;
      this.inspect(id ? this.subjectOf(id) : { kind: "pipeline", key: "" });
    }, 60);
  }

  /** Show a subject in place of the one that was about to be shown. @param {Subject} subject */
  show(subject) {
    clearTimeout(this.timer);
    this.inspect(subject);
  }

  /** Show a subject in the inspector, unless it is shown already. @param {Subject} subject */
  async inspect(subject) {
    if ((this.requested || inspected()) === nameOf(subject)) return;
    this.requested = nameOf(subject);
    const isShown = await submit("select", { ...subject });
    if (this.requested !== nameOf(subject)) return;
    this.requested = "";
    if (!isShown) this.set(this.#inspectedParts());
  }

  /** The ids of the parts that the inspector shows: the selection follows it if another part cannot be shown. */
  #inspectedParts() {
    const parts = [...this.canvas.element.querySelectorAll(PARTS)];
    return parts.map(({ id }) => id).filter((id) => nameOf(this.subjectOf(id)) === inspected());
  }

  /** Mark the inspected subject in the lists around the canvas. */
  markLinks() {
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".left [data-select]"))) {
      const current = nameOf({ kind: link.dataset.select ?? "", key: link.dataset.key ?? "" }) === inspected();
      if (current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** @param {string} id @returns {Subject} */
  subjectOf(id) {
    const element = /** @type {HTMLElement} */ (this.canvas.elementOf(id));
    const { phase: stage, agent, note, frame, source, target } = element.dataset;
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
   * Update the selection after a swap: removed parts are deselected, and selected again when they return to an empty
   * selection. A part that someone has renamed stays selected, because the inspector shows it under its new name. The
   * inspector stays as it is while someone types in it.
   */
  #update() {
    const elementOf = (id) => this.canvas.elementOf(id);
    const gone = [...this.ids].filter((id) => !elementOf(id));
    const back = this.ids.size ? [] : this.gone.filter(elementOf);
    this.set([...this.ids, ...back]);
    if (gone.length && !this.ids.size) this.set(this.#inspectedParts());
    if (!gone.length && !back.length) return;
    this.gone = gone;
    if (document.querySelector("#inspector:focus-within, #merge > *")) return;
    if (back.length || !this.ids.size) this.open();
    elementOf(back[0])?.focus({ preventScroll: true });
  }

  /** Mark the selected parts in the current page. */
  mark() {
    for (const element of this.canvas.element.querySelectorAll('[aria-current="true"]')) {
      if (!this.ids.has(element.id)) element.removeAttribute("aria-current");
    }
    for (const id of this.ids) this.canvas.elementOf(id)?.setAttribute("aria-current", "true");
    this.onMark();
  }
}

/** The name of a subject in addresses. @param {Subject} subject */
const nameOf = ({ kind, key }) => (key ? `${kind}:${key}` : kind);

/** The name of the inspected subject, from the inspector itself. */
const inspected = () =>
  /** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"))?.value ?? "";
