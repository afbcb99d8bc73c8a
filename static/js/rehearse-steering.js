// Stepping in: the dialogs of the steering buttons, what is retried or said otherwise, and the focus while buttons change.
import { announce } from "./notice.js";

const STANDING = {
  idle: "No answer is under way.",
  running: "An answer is under way.",
  paused: "The run stands still.",
  human: "A person answers now.",
};
const BROUGHT = { "hand-over-dialog": "targets-form", "hand-back-dialog": "backs-form" };

/** @param {string} id @returns {HTMLFormElement | null} */
const form = (id) => /** @type {HTMLFormElement | null} */ (document.getElementById(id));

document.addEventListener("click", ({ target }) => {
  const element = /** @type {Element} */ (target);
  const opener = /** @type {HTMLElement | null} */ (element.closest("[data-dialog]"));
  const brought = BROUGHT[opener?.dataset.dialog ?? ""];
  if (brought) bring(/** @type {HTMLFormElement} */ (form(brought)));
  const said = /** @type {HTMLElement | null} */ (element.closest("[data-again], [data-otherwise]"));
  if (said) resend(said);
});

/** Have a dialog brought who could take the conversation now; until then nothing can be sent. @param {HTMLFormElement} wanted */
function bring(wanted) {
  const place = /** @type {HTMLElement} */ (document.querySelector(wanted.getAttribute("hx-target") ?? ""));
  place.innerHTML = '<p class="soft">Looking up who could take it…</p>';
  wanted.requestSubmit();
}

for (const name of ["hand-over", "hand-back"]) {
  const place = document.getElementById(`${name}-targets`);
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector(`#${name}-form [type=submit]`));
  if (!place || !button) continue;
  button.disabled = true;
  new MutationObserver(() => {
    button.disabled = !place.querySelector("[name=target]");
    if (!button.disabled) /** @type {HTMLElement} */ (place.querySelector("[name=target]")).focus();
  }).observe(place, { childList: true });
}

/** Send a message once more, or ask what is to be said in its place. @param {HTMLElement} button */
function resend(button) {
  const wanted = form("resend-form");
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("resend-dialog"));
  if (!wanted || !dialog) return;
  const words = button.closest(".said-by-user")?.querySelector("p")?.textContent ?? "";
  const { seq, text } = /** @type {any} */ (wanted.elements);
  [seq.value, text.value] = [button.dataset.again ?? button.dataset.otherwise, words];
  if (button.dataset.again) wanted.requestSubmit();
  else dialog.showModal();
}

// What a dialog asked for is on its way: the dialog has done its part.
for (const id of ["note-form", "hand-over-form", "hand-back-form"]) {
  const sent = form(id);
  sent?.addEventListener("submit", () => {
    sent.closest("dialog")?.close();
    setTimeout(() => sent.reset()); // when it was read
  });
}

const over = form("hand-over-form");
over?.addEventListener("change", weigh);
new MutationObserver(weigh).observe(document.getElementById("hand-over-targets") ?? document.createElement("div"), { childList: true });

/** Past the check nobody hands over without seeing so. */
function weigh() {
  if (!over) return;
  const isPast = !!over.querySelector("[name=target][data-past]:checked");
  /** @type {HTMLInputElement} */ (over.elements.namedItem("past_check")).value = String(isPast);
  const button = /** @type {HTMLButtonElement} */ (over.querySelector("[type=submit]"));
  button.dataset.usual ??= button.textContent ?? "";
  button.textContent = isPast ? (button.dataset.past ?? "") : button.dataset.usual;
}

const state = document.getElementById("steering-state");
if (state) {
  let standing = /** @type {HTMLElement | null} */ (state.firstElementChild)?.dataset.standing;
  let had = "";
  state.addEventListener("focusin", ({ target }) => (had = /** @type {Element} */ (target).id));
  state.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && (had = ""));
  new MutationObserver(() => {
    const now = /** @type {HTMLElement | null} */ (document.getElementById("steering"));
    if (!now || now.dataset.standing === standing) return;
    standing = now.dataset.standing;
    announce(STANDING[standing ?? ""] ?? "");
    // The button that was pressed may be gone: the focus goes to what can be done next.
    if (had && document.activeElement === document.body) {
      /** @type {HTMLElement | null} */ (document.getElementById(had) ?? now.querySelector("button"))?.focus();
    }
  }).observe(state, { childList: true });
}
