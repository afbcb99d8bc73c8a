// The switch of the wire log: asks before the log is deleted, and removes deleted entries from the page.

document.body.addEventListener("htmx:afterSettle", () => {
  const asked = /** @type {HTMLDialogElement | null} */ (document.querySelector("#forget-exchanges:not([data-asked])"));
  const state = document.getElementById("wire-log-switch");
  if (state?.getAttribute("aria-pressed") === "false") shut();
  if (!asked) return;
  asked.dataset.asked = "";
  asked.showModal();
});

// Another person or page may use the switch, too.
document.addEventListener("htmx:wsAfterMessage", () => {
  const state = /** @type {HTMLElement | null} */ (document.querySelector("#wire-log-state:not([data-applied])"));
  if (!state) return;
  state.dataset.applied = "";
  const isOn = state.dataset.logged === "yes";
  if (!isOn) shut();
  const button = document.getElementById("wire-log-switch");
  const form = button?.closest("form");
  if (!button || !form) return;
  button.setAttribute("aria-pressed", `${isOn}`);
  /** @type {HTMLInputElement} */ (form.elements.namedItem("on")).value = isOn ? "no" : "yes";
});

/** Remove the entries of the log. */
function shut() {
  for (const shown of document.querySelectorAll("#trace .exchanges")) shown.remove();
  document.querySelector("#forget-exchanges")?.remove();
}

// Each answer replaces the switch, so it gets the focus again.
document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.requestConfig?.elt.closest(".wire-log")) return;
  setTimeout(() => document.activeElement === document.body && document.getElementById("wire-log-switch")?.focus());
});
