// Keeps input that comes too early: clicks and keys before the page is ready, and messages before the socket is open. A
// classic script in the head, because modules run too late for that.
(() => {
  const { until, enterSends } = document.currentScript.dataset;

  const BUTTONS = "[type=button], [data-command], summary[hx-get], [hx-get] > summary";
  const KEYS = /^(.|Enter|Escape|Backspace|Delete|F2|Arrow.+)$/;

  /**
   * Hold clicks and keys until the page is ready, then repeat them. Input with an effect in the browser itself is not
   * held. The editor is ready with the event `until`, other pages with their modules.
   */
  function holdUntilReady() {
    /** @type {any[]} */
    const held = [];
    const early = new AbortController();

    /** @param {any} event */
    const hold = (event) => {
      const { type, key, target } = event;
      const isOnCanvas = target === document.body || (target.closest("#canvas") && !target.closest("button, a"));
      const isShortcut = until && isOnCanvas && KEYS.test(key) && !event.ctrlKey && !event.metaKey;
      if (!(type === "click" ? target.closest(BUTTONS) : isShortcut)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      held.push(event);
    };
    for (const name of ["click", "keydown"]) addEventListener(name, hold, { capture: true, signal: early.signal });

    const repeat = () => held.forEach((event) => event.target.dispatchEvent(new event.constructor(event.type, event)));
    addEventListener(until ?? "DOMContentLoaded", () => setTimeout(() => (early.abort(), repeat())));
  }

  /**
   * Let Enter send messages from the first moment. A message sent before htmx has connected the form to the socket
   * waits; the browser must not submit it, because the message would be lost.
   */
  function sendByEnter() {
    let isReady = false;
    /** @type {HTMLFormElement | undefined} */
    let waiting;

    document.addEventListener("keydown", (event) => {
      const text = event.target;
      // The browser focuses the field only when the page is drawn; keys before that are for it too.
      if (!isReady && text === document.body) document.getElementById("message-text")?.focus();
      if (event.key !== "Enter" || event.isComposing || !(text instanceof Element)) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || !text.matches("textarea[data-enter-sends]")) return;
      event.preventDefault();
      /** @type {HTMLTextAreaElement} */ (text).form?.requestSubmit();
    });

    document.addEventListener(
      "submit",
      (event) => {
        const form = /** @type {HTMLFormElement} */ (event.target);
        if (isReady || !form.hasAttribute("ws-send")) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        waiting = form;
      },
      { capture: true },
    );

    // The first htmx:load is about the whole page: its forms are connected and the modules have run.
    document.addEventListener("htmx:load", () => ((isReady = true), waiting?.requestSubmit()), { once: true });
  }

  holdUntilReady();
  if (enterSends !== undefined) sendByEnter();
})();
