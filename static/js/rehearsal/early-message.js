// Loaded before the page is drawn: Enter sends from the first moment, and what is sent before the
// page is at work waits until it is. No browser may send it its own way, for then it would be lost.

{
  let isAtWork = false;
  /** @type {HTMLFormElement | undefined} */
  let waiting;

  document.addEventListener("keydown", (event) => {
    const text = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing && text instanceof Element) {
      // In every dialog, from wherever one is in it; and beside a call that waits.
      const form = /** @type {HTMLFormElement | null} */ (text.closest("dialog form, form[data-decide]"));
      const button = /** @type {HTMLButtonElement | null | undefined} */ (
        form?.querySelector("[type=submit], button:not([type])")
      );
      if (!form || !button || text === button) return;
      event.preventDefault();
      if (!button.disabled) form.requestSubmit(button);
      return;
    }
    if (!(text instanceof HTMLTextAreaElement) || !text.hasAttribute("data-enter-sends")) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    text.form?.requestSubmit();
  });

  document.addEventListener(
    "submit",
    (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      if (isAtWork || !form.hasAttribute("ws-send")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      waiting = form;
    },
    { capture: true },
  );

  // htmx tells of the page as a whole, once its forms go to the socket; modules have run by then.
  document.addEventListener(
    "htmx:load",
    () => {
      isAtWork = true;
      waiting?.requestSubmit();
    },
    { once: true },
  );
}
