// Moves the focus to the next item of a list in the left panel after a deletion, or to the canvas if the list is empty.

/** @param {string} kind @returns {HTMLElement[]} */
const listed = (kind) =>
  [...document.querySelectorAll(`.left [data-select="${kind}"]`)].map((link) => /** @type {HTMLElement} */ (link));

document.addEventListener(
  "submit",
  ({ target }) => {
    const form = /** @type {HTMLFormElement} */ (target);
    const { lists: kind } = form.dataset;
    if (!kind) return;
    const key = new FormData(form).get(kind);
    const at = listed(kind).findIndex((link) => link.dataset.key === key);
    document.body.addEventListener("htmx:afterRequest", function goOn({ detail }) {
      if (detail.requestConfig?.elt !== form) return; // the form is removed from the page
      document.body.removeEventListener("htmx:afterRequest", goOn);
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const left = listed(kind);
        (left[at] ?? left.at(-1) ?? document.getElementById("canvas"))?.focus({ preventScroll: true });
      });
    });
  },
  { capture: true },
);
