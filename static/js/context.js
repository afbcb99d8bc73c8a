// Asking for the context menu: with the right button, by key, or with a finger that is held still.
import { isField } from "./hand.js";

const HELD = 500; // milliseconds
const STILL = 8; // pixels

/** @param {import("./press.js").Page} page */
export function offerMenu(page) {
  const { element } = page.canvas;
  let timer = 0;
  /** @type {typeof import("./menu.js") | undefined} */
  let menu;
  /** @type {PointerEvent | undefined} */
  let finger;

  element.addEventListener("contextmenu", async (event) => {
    if (isField(event.target)) return;
    event.preventDefault();
    menu ??= await import("./menu.js"); // once it is here it opens at once: the next key is the menu's
    menu.openMenu(page, event);
  });

  const stop = () => clearTimeout(timer);
  element.addEventListener("pointerdown", (event) => {
    stop();
    finger = event;
    if (event.pointerType === "touch" && event.isPrimary) timer = setTimeout(hold, HELD);
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
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
