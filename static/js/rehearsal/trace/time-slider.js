// The time slider: shows canvas and chat at any moment of the trace. The arrow keys go from event to event, Home to the
// begin, End to the present.
import { announce } from "../../core/notice.js";
import { noMarks, showMarks, addMarks } from "../canvas-marks.js";
import { newMarks, showPresent } from "../live-marks.js";
import { catchUp, rowOf, show } from "./trace.js";

/** @typedef {import("../canvas-marks.js").EventMarks} EventMarks */
/** @typedef {[seq: number, at: number, light: EventMarks]} Step */

const slider = /** @type {HTMLInputElement | null} */ (document.getElementById("time-slider"));
if (slider) slide(slider);

/** @param {HTMLInputElement} slider */
function slide(slider) {
  const output = /** @type {HTMLOutputElement} */ (document.getElementById("time-slider-text"));
  const back = /** @type {HTMLButtonElement} */ (document.getElementById("time-slider-now"));
  const canvas = document.getElementById("canvas");
  /** @type {Promise<Step[]> | null} the marks of all events, loaded when the slider is first moved */
  let loading = null;

  slider.addEventListener("input", draw);
  slider.addEventListener("change", () => isPast() && show(Number(slider.value), { opens: false }));
  back.addEventListener("click", () => {
    goTo(Number(slider.max));
    catchUp();
  });
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-step]"))) {
    button.addEventListener("click", () => goTo(Number(slider.value) + Number(button.dataset.step)));
  }

  // After a large number of events at once the page is sent again, so the marks are loaded again.
  document.addEventListener("baton:leapt", () => {
    loading = null;
    newMarks.length = 0;
  });

  // The slider grows with the trace; at its end it stays at the end.
  const cursorBefore = () =>
    Number(/** @type {HTMLInputElement | null} */ (document.getElementById("cursor"))?.value ?? slider.max);
  document.addEventListener("baton:grown", () => {
    const wasNow = !isPast();
    slider.max = String(Math.max(cursorBefore(), Number(slider.max)));
    if (wasNow) slider.value = slider.max;
    describe();
  });

  const isPast = () => Number(slider.value) < Number(slider.max);

  /** @param {number} seq */
  function goTo(seq) {
    slider.value = String(seq);
    draw();
    if (isPast()) show(Number(slider.value), { opens: false });
    announce(slider.getAttribute("aria-valuetext") ?? "");
  }

  async function draw() {
    const seq = Number(slider.value);
    canvas?.toggleAttribute("data-past", isPast());
    back.hidden = !isPast();
    describe();
    document.dispatchEvent(new CustomEvent("baton:moment", { detail: { seq: isPast() ? seq : null } }));
    for (const row of document.querySelectorAll("#trace > [aria-current]")) row.removeAttribute("aria-current");
    if (!isPast()) return showPresent(true);
    showPresent(false);
    rowOf(seq)?.setAttribute("aria-current", "true");
    loading ??= loadMarks();
    const steps = await loading.catch(() => (loading = null));
    if (!steps || Number(slider.value) !== seq) return; // the request failed, or the slider has moved
    const lit = noMarks();
    for (const [at, , light] of steps) {
      if (at > seq) break;
      addMarks(lit, light);
    }
    for (const { seq: at, light } of newMarks) if (at > (steps.at(-1)?.[0] ?? 0) && at <= seq) addMarks(lit, light);
    showMarks(lit);
    describe();
  }

  /** Describe the moment, beside the slider and for screen readers. */
  function describe() {
    const seq = Number(slider.value);
    const row = rowOf(seq);
    const at = row?.querySelector("time")?.textContent ?? "";
    const what = row?.querySelector(".event__what")?.textContent ?? "";
    const [time, text] = [at && ` · ${at} s`, what && `: ${what}`];
    output.textContent = isPast() ? `${seq} of ${slider.max}${time}` : "now";
    slider.setAttribute("aria-valuetext", isPast() ? `event ${seq} of ${slider.max}${text}` : "now");
    slider.style.setProperty("--share", `${(100 * seq) / Math.max(1, Number(slider.max))}%`);
  }
  describe();
}

/** Load the marks of all events. @returns {Promise<Step[]>} */
function loadMarks() {
  const [form, place] = ["track-form", "track"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
  return new Promise((resolve, reject) => {
    form.addEventListener(
      "htmx:afterRequest",
      (event) => {
        const text = place.textContent;
        place.replaceChildren();
        if (/** @type {CustomEvent} */ (event).detail.successful) resolve(JSON.parse(text || "[]"));
        else reject(new Error("The marks of the events could not be loaded."));
      },
      { once: true },
    );
    /** @type {HTMLFormElement} */ (form).requestSubmit();
  });
}
