// Requests for the context menu by key and by long press.

const LONG_PRESS = 500; // milliseconds
const MAX_MOVE = 8; // pixels

/** @param {HTMLElement} canvas */
export function hearLongPress(canvas) {
  let timer = 0;
  /** @type {PointerEvent | undefined} */
  let finger;

  const stop = () => clearTimeout(timer);
  canvas.addEventListener("pointerdown", (event) => {
    stop();
    finger = event;
    if (event.pointerType === "touch" && event.isPrimary) timer = setTimeout(hold, LONG_PRESS);
  });
  canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (finger && Math.hypot(clientX - finger.clientX, clientY - finger.clientY) > MAX_MOVE) stop();
  });
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, stop);

  function hold() {
    const { target, pointerId, clientX, clientY } = /** @type {PointerEvent} */ (finger);
    dispatchEvent(new PointerEvent("pointercancel", { pointerId })); // ends the gesture of the press
    askForMenu(/** @type {Element} */ (target), { clientX, clientY });
  }
}

/** @param {Element} element @param {{clientX: number, clientY: number}} at */
export function askForMenu(element, at) {
  element.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, ...at }));
}
