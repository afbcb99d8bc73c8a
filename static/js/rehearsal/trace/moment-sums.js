// The sums of the supervisor's bar and the context meter at an earlier moment of the conversation, in place of the
// present ones.

/**
 * Follow the moments of the time slider.
 * @param {HTMLFormElement} form loads what is shown at an event
 * @param {Element[]} earlier the elements with the earlier values
 * @param {Element[]} present the elements with the present values, which change meanwhile
 */
function followMoments(form, earlier, present) {
  document.addEventListener("baton:moment", (event) => {
    const { seq } = /** @type {CustomEvent<{seq: number | null}>} */ (event).detail;
    for (const element of earlier) element.toggleAttribute("hidden", seq === null);
    for (const element of present) element.toggleAttribute("hidden", seq !== null);
    if (seq === null) return form.querySelector("#sums-then")?.remove();
    /** @type {HTMLInputElement} */ (form.elements.namedItem("at")).value = String(seq);
    form.requestSubmit();
  });
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("sums-form"));
if (form)
  followMoments(
    form,
    [...document.querySelectorAll("#sums-form, #earlier-context-meter")],
    [...document.querySelectorAll("#supervisor-sums, #context-meter")],
  );
