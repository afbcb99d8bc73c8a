// Tells how long the model has not answered: "waiting for the model · 8 s" after three seconds.

const LEAST = 3; // seconds
const chat = document.querySelector("#chat[ws-connect]");

/** @type {WeakMap<Element, number>} beginning of each wait by the page's clock */
const begins = new WeakMap();

/** The words for a wait; "" while it is short. @param {number} seconds */
export const waitingText = (seconds) => (seconds < LEAST ? "" : `waiting for the model · ${Math.floor(seconds)} s`);

function tick() {
  for (const turn of /** @type {NodeListOf<HTMLElement>} */ (chat?.querySelectorAll(".turn[data-streaming]") ?? [])) {
    const begin = begins.get(turn) ?? Date.now() - 1000 * Number(turn.dataset.waited ?? 0);
    begins.set(turn, begin);
    const text = turn.lastElementChild?.textContent ? "" : waitingText((Date.now() - begin) / 1000);
    if (text) turn.dataset.waiting = text;
    else delete turn.dataset.waiting;
  }
}

if (chat) {
  tick();
  setInterval(tick, 1000);
}
