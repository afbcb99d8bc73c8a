// The composer: what was written goes only when it comes back as part of the chat.

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("composer"));
const log = document.getElementById("chat-log");
if (form && log) compose(form, log);

/** An id of our own for a message: sent twice, it counts once. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} log
 */
function compose(form, log) {
  const text = /** @type {HTMLTextAreaElement} */ (form.querySelector("#message-text"));
  const id = /** @type {HTMLInputElement} */ (form.querySelector("#message-id"));
  id.value ||= newId();
  const state = form.querySelector("#composer-state");
  let sent = "";

  text.addEventListener("input", () => {
    say("");
    // Another text is another message.
    if (sent && text.value !== sent) [id.value, sent] = [newId(), ""];
  });

  // Before htmx: a message that is too long never leaves the page.
  form.addEventListener(
    "submit",
    (event) => {
      const length = [...text.value.trim()].length;
      if (length > Number(text.dataset.limit)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        say((text.dataset.refusal ?? "").replace("{length}", length.toLocaleString("en")));
        return;
      }
      sent = text.value;
      keepFocus();
    },
    { capture: true },
  );

  document.getElementById("stop-form")?.addEventListener("submit", keepFocus);

  // What was refused while an answer was under way may be sent once it is over.
  if (state) {
    new MutationObserver(() => {
      if (!state.querySelector("[data-running]")) say("");
    }).observe(state, { childList: true });
  }

  document.addEventListener("click", (event) => {
    const starter = /** @type {Element} */ (event.target).closest("[data-starter]");
    if (!starter) return;
    text.value = starter.textContent ?? "";
    text.focus();
    form.requestSubmit();
  });

  new MutationObserver((records) => {
    const mine = `[data-message="${id.value}"]`;
    const added = records.flatMap((record) => [...record.addedNodes]);
    if (!added.some((node) => node instanceof Element && node.matches(mine))) return;
    if (text.value === sent) text.value = "";
    [id.value, sent] = [newId(), ""];
    say("");
  }).observe(log, { childList: true });

  /** The buttons are replaced when a run begins and ends, and the focus would go with them. */
  function keepFocus() {
    if (state?.contains(document.activeElement)) text.focus();
  }

  /** @param {string} sentence */
  function say(sentence) {
    const notice = document.getElementById("composer-notice");
    if (notice && notice.textContent !== sentence) notice.textContent = sentence;
  }
}
