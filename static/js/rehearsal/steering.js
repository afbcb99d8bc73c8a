// Control of a run by a person: the dialogs of the buttons, and the focus while buttons change.
import { refreshInbox } from "../core/page.js";
import { isFocusLost, focusFirst } from "../core/focus-fallback.js";
import { announce, clearNotice, notify } from "../core/notice.js";

const STANDING = {
  idle: "No answer is under way.",
  running: "An answer is under way.",
  paused: "The run is paused.",
  asking: "A call waits for approval.",
  human: "A person answers now.",
  waits: "The conversation waits for the human.",
  ended: "The conversation was ended. A new message waits for the human.",
};
const LONG_ENOUGH = 12_000; // milliseconds to read a sentence
const TARGET_FORMS = { "hand-over-dialog": "targets-form", "hand-back-dialog": "backs-form" };

/** @param {string} id @returns {HTMLFormElement | null} */
const form = (id) => /** @type {HTMLFormElement | null} */ (document.getElementById(id));

document.addEventListener("click", ({ target }) => {
  const element = /** @type {Element} */ (target);
  const opener = /** @type {HTMLElement | null} */ (element.closest("[data-dialog]"));
  const asking = opener && document.querySelector(`#${opener.dataset.dialog} form[data-sent]`);
  if (asking) forget(/** @type {HTMLFormElement} */ (asking));
  const targetForm = TARGET_FORMS[opener?.dataset.dialog ?? ""];
  if (targetForm) loadTargets(/** @type {HTMLFormElement} */ (form(targetForm)));
});

/** Load the possible targets of a dialog; until then it cannot be sent. @param {HTMLFormElement} wanted */
function loadTargets(wanted) {
  const place = /** @type {HTMLElement} */ (document.querySelector(wanted.getAttribute("hx-target") ?? ""));
  place.innerHTML = '<p class="soft">Loading the possible targets…</p>';
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

// A dialog closes when it is sent. Its text stays until the dialog is opened again, and longer if it was rejected.
for (const id of ["note-form", "hand-over-form", "hand-back-form"]) {
  const sent = form(id);
  sent?.addEventListener("submit", () => {
    sent.closest("dialog")?.close();
    sent.dataset.sent = "";
  });
  document.addEventListener("baton:refused", () => sent?.removeAttribute("data-sent"));
}

/** Empty a form that was sent. @param {HTMLFormElement} sent */
function forget(sent) {
  sent.reset();
  delete sent.dataset.sent;
}

// Pause is a toggle: a requested pause is in the queue, and the next press withdraws it.
const requestedPause = () =>
  /** @type {HTMLFormElement | null} */ (document.querySelector('#queue > [data-kind="pause"] form'));
document.addEventListener(
  "click",
  (event) => {
    const withdrawal = /** @type {Element} */ (event.target).closest("#steer-pause") && requestedPause();
    if (!withdrawal) return;
    event.preventDefault();
    withdrawal.requestSubmit();
  },
  { capture: true },
);
document.addEventListener("htmx:wsAfterMessage", showRequest);
showRequest();

/** Show on the toggle whether a pause is requested. */
function showRequest() {
  const toggle = document.querySelector('[data-standing="running"] > #steer-pause');
  toggle?.setAttribute("aria-pressed", String(requestedPause() !== null));
}

// A pause takes effect at the next turn or handoff. If the run ends before, a notice says so.
let isPausing = false;
/** States without a run. */
const STILL = new Set(["idle", "waits", "ended"]);
form("pause-form")?.addEventListener("submit", () => (isPausing = true));
for (const id of ["stop-form", "take-over-form"]) form(id)?.addEventListener("submit", () => (isPausing = false));
document.addEventListener(
  "submit",
  ({ target }) => /** @type {Element} */ (target).closest("#queue") && (isPausing = false),
);

/** Remove a notice after it was visible long enough, but not while someone points at it. @param {HTMLElement} line */
function removeLater(line) {
  setTimeout(
    () => (document.hidden || line.matches(":hover, :focus-within") ? removeLater(line) : line.remove()),
    LONG_ENOUGH,
  );
}

const over = form("hand-over-form");
over?.addEventListener("change", showSkippedCheck);
new MutationObserver(showSkippedCheck).observe(
  document.getElementById("hand-over-targets") ?? document.createElement("div"),
  {
    childList: true,
  },
);

/** Show on the button that a handoff skips the check. */
function showSkippedCheck() {
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
  // The second click of a double click must not press a button that has replaced the first.
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
    const before = standing;
    if (now.dataset.standing !== standing) showStanding(now.dataset.standing ?? "");
    // A pressed button may be gone: the focus goes to the next useful control, which is the message when a person takes
    // over or leaves.
    if (had && isFocusLost()) {
      const isHuman = [before, standing].includes("human");
      const next = document.getElementById(isHuman ? "message-text" : had);
      focusFirst(next);
    }
  }).observe(state, { childList: true });
  form("take-over-form")?.addEventListener("submit", ({ submitter }) => (had ||= submitter?.className ?? ""));

  /** Announce the present state, and remove the notices of an earlier run. @param {string} now */
  function showStanding(now) {
    standing = now;
    announce(STANDING[now] ?? "");
    if (now === "running") clearNotice();
    refreshInbox(); // the conversation may now wait for the human, or no longer
    if (!isPausing || now === "running") return;
    isPausing = false;
    const missed = STILL.has(now) ? notify("The run ended before it could pause.", "warning") : undefined;
    if (missed) removeLater(missed);
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
