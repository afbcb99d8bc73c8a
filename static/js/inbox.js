// How many wait in the inbox: looked after as long as the page is seen, and at once when it is seen again.

const PAUSE = 15_000; // milliseconds

/** Have it looked after now. */
export const look = () => document.hidden || document.body.dispatchEvent(new CustomEvent("baton:look"));

setInterval(look, PAUSE);
document.addEventListener("visibilitychange", look);
