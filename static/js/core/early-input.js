// A classic script in the head: a button or a key that is pressed before the page is at work waits until it is; the
// editor says when that is (keys.js). What the browser itself does something with is left to it.
(() => {
  const BUTTONS = "[type=button], [data-command], summary[hx-get], [hx-get] > summary";
  const KEYS = /^(.|Enter|Escape|Backspace|Delete|F2|Arrow.+)$/;
  const { until } = document.currentScript.dataset;
  /** @type {any[]} */
  const pressed = [];
  const early = new AbortController();

  /** @param {any} event */
  const hold = (event) => {
    const { type, key, target } = event;
    const isForCanvas = target === document.body || (target.closest("#canvas") && !target.closest("button, a"));
    const isMeant =
      type === "click"
        ? target.closest(BUTTONS)
        : until && isForCanvas && KEYS.test(key) && !event.ctrlKey && !event.metaKey;
    if (!isMeant) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    pressed.push(event);
  };
  for (const name of ["click", "keydown"]) addEventListener(name, hold, { capture: true, signal: early.signal });

  const give = () => pressed.forEach((event) => event.target.dispatchEvent(new event.constructor(event.type, event)));
  addEventListener(until ?? "DOMContentLoaded", () => setTimeout(() => (early.abort(), give())));
})();
