// The wire log's switch: it asks before it forgets, and what is forgotten is shown no longer.

document.body.addEventListener("htmx:afterSettle", () => {
  const state = document.getElementById("wire-log-switch");
  const asked = /** @type {HTMLDialogElement | null} */ (document.querySelector("#forget-exchanges:not([data-asked])"));
  if (state?.getAttribute("aria-pressed") === "false") for (const shown of document.querySelectorAll("#trace .exchanges")) shown.remove();
  if (!asked) return;
  asked.dataset.asked = "";
  asked.showModal();
});

// The switch is another one with every answer: who pressed it goes on from there.
document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.requestConfig?.elt.closest(".wire-log")) return;
  setTimeout(() => document.activeElement === document.body && document.getElementById("wire-log-switch")?.focus());
});
