/**
 * Call a function once after the swaps of a response. For each out-of-band swap, htmx reports every element swapped
 * before it, so the number of events grows with the square of the number of elements.
 * @param {() => void} update
 */
export function afterSwaps(update) {
  let isDue = false;
  document.body.addEventListener("htmx:oobAfterSwap", () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      update();
    });
  });
}
