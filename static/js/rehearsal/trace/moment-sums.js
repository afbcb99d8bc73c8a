// The sums of the supervisor's bar at an earlier moment of the conversation, in place of the present ones.

/**
 * Follow the moments of the time slider.
 * @param {HTMLFormElement} form loads the sums at an event
 * @param {HTMLElement} present the present sums, which grow meanwhile
 */
export function followMoments(form, present) {
  document.addEventListener("baton:moment", (event) => {
    const { seq } = /** @type {CustomEvent<{seq: number | null}>} */ (event).detail;
    [form.hidden, present.hidden] = [seq === null, seq !== null];
    if (seq === null) return form.querySelector("#sums-then")?.remove();
    /** @type {HTMLInputElement} */ (form.elements.namedItem("at")).value = String(seq);
    form.requestSubmit();
  });
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("sums-form"));
const present = document.getElementById("supervisor-sums");
if (form && present) followMoments(form, present);
