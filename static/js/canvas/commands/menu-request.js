// Asking for the context menu by key, or with a finger that is held still.

const HELD = 500; // milliseconds
const STILL = 8; // pixels

/** @param {HTMLElement} canvas */
export function hearFinger(canvas) {
  let timer = 0;
  /** @type {PointerEvent | undefined} */
  let finger;

  const stop = () => clearTimeout(timer);
  canvas.addEventListener("pointerdown", (event) => {
    stop();
    finger = event;
    if (event.pointerType === "touch" && event.isPrimary) timer = setTimeout(hold, HELD);
  });
  canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (finger && Math.hypot(clientX - finger.clientX, clientY - finger.clientY) > STILL) stop();
  });
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, stop);

  function hold() {
    const { target, pointerId, clientX, clientY } = /** @type {PointerEvent} */ (finger);
    dispatchEvent(new PointerEvent("pointercancel", { pointerId })); // the hand lets go of what it began
    askForMenu(/** @type {Element} */ (target), { clientX, clientY });
  }
}

/** @param {Element} element @param {{clientX: number, clientY: number}} at */
export function askForMenu(element, at) {
  element.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, ...at }));
}
