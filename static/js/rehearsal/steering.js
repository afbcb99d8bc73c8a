// Stepping in: the dialogs of the steering buttons, what is retried or said otherwise, and the focus while buttons
// change.
import { look } from "../core/page.js";
import { isNowhere, land } from "../core/focus-fallback.js";
import { announce, clearNotice, notify } from "../core/notice.js";

const STANDING = {
  idle: "No answer is under way.",
  running: "An answer is under way.",
  paused: "The run stands still.",
  asking: "A call waits for approval.",
  human: "A person answers now.",
  waits: "The conversation waits for the human.",
  ended: "The conversation was ended. Who writes again waits for the human.",
};
const LONG_ENOUGH = 12_000; // milliseconds in which a sentence is read
const BROUGHT = { "hand-over-dialog": "targets-form", "hand-back-dialog": "backs-form" };

/** @param {string} id @returns {HTMLFormElement | null} */
const form = (id) => /** @type {HTMLFormElement | null} */ (document.getElementById(id));

document.addEventListener("click", ({ target }) => {
  const element = /** @type {Element} */ (target);
  const opener = /** @type {HTMLElement | null} */ (element.closest("[data-dialog]"));
  const asking = opener && document.querySelector(`#${opener.dataset.dialog} form[data-sent]`);
  if (asking) forget(/** @type {HTMLFormElement} */ (asking));
  const brought = BROUGHT[opener?.dataset.dialog ?? ""];
  if (brought) bring(/** @type {HTMLFormElement} */ (form(brought)));
  const said = /** @type {HTMLElement | null} */ (element.closest("[data-again], [data-otherwise]"));
  if (said) resend(said);
});

/**
 * Have a dialog brought who could take the conversation now; until then nothing can be sent.
 * @param {HTMLFormElement} wanted
 */
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

// What a dialog asked for is on its way: the dialog has done its part. What was written stays until it is opened anew,
// and
// longer where it was refused.
for (const id of ["note-form", "hand-over-form", "hand-back-form"]) {
  const sent = form(id);
  sent?.addEventListener("submit", () => {
    sent.closest("dialog")?.close();
    sent.dataset.sent = "";
  });
  document.addEventListener("baton:refused", () => sent?.removeAttribute("data-sent"));
}

/** Empty a form whose part is done. @param {HTMLFormElement} sent */
function forget(sent) {
  sent.reset();
  delete sent.dataset.sent;
}

// A pause takes effect at the next turn or handoff. Where none comes, that is said.
let isPausing = false;
/** How things stand where no run is on. */
const STILL = new Set(["idle", "waits", "ended"]);
form("pause-form")?.addEventListener("submit", () => (isPausing = true));
for (const id of ["stop-form", "take-over-form"]) form(id)?.addEventListener("submit", () => (isPausing = false));
document.addEventListener(
  "submit",
  ({ target }) => /** @type {Element} */ (target).closest("#queue") && (isPausing = false),
);

/**
 * Have a sentence go after it was seen long enough; not while somebody is at it or elsewhere.
 * @param {HTMLElement} line
 */
function passing(line) {
  setTimeout(
    () => (document.hidden || line.matches(":hover, :focus-within") ? passing(line) : line.remove()),
    LONG_ENOUGH,
  );
}

const over = form("hand-over-form");
over?.addEventListener("change", weigh);
new MutationObserver(weigh).observe(document.getElementById("hand-over-targets") ?? document.createElement("div"), {
  childList: true,
});

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
  // The second click of a double click is not for the button that has just come in the place of another.
  state.addEventListener(
    "click",
    (event) => {
      if (event.detail < 2) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
  state.addEventListener("focusin", ({ target }) => (had = /** @type {Element} */ (target).id));
  state.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && (had = ""));
  new MutationObserver(() => {
    const now = /** @type {HTMLElement | null} */ (document.getElementById("steering"));
    if (!now) return;
    if (now.dataset.standing !== standing) stand(now.dataset.standing ?? "");
    // The button that was pressed may be gone: the focus goes to what can be done next.
    if (had && isNowhere()) {
      const next = standing === "human" ? document.getElementById("message-text") : document.getElementById(had);
      land(next);
    }
  }).observe(state, { childList: true });
  form("take-over-form")?.addEventListener("submit", ({ submitter }) => (had ||= submitter?.className ?? ""));

  /** Say how things stand now; what was said of a run before is over. @param {string} now */
  function stand(now) {
    standing = now;
    announce(STANDING[now] ?? "");
    if (now === "running") clearNotice();
    look(); // it may wait for the human now, or no longer
    if (!isPausing || now === "running") return;
    isPausing = false;
    const missed = STILL.has(now) ? notify("The run ended before it could stand still.", "warning") : undefined;
    if (missed) passing(missed);
  }
}

// Ctrl+Enter submits a dialog or a decision from any of its fields.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  const target = /** @type {Element} */ (event.target);
  const form = /** @type {HTMLFormElement | null} */ (target.closest("dialog form, form[data-decide]"));
  const button = /** @type {HTMLButtonElement | null | undefined} */ (
    form?.querySelector("[type=submit], button:not([type])")
  );
  if (!form || !button || target === button) return;
  event.preventDefault();
  if (!button.disabled) form.requestSubmit(button);
});
