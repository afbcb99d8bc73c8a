// Lets every press count. A press leaves a field, which is saved by that, and the answer may move or replace the
// pressed button before its release. So requests wait for the release of a button. A link to another page gets the
// release wherever it has moved to, and waits for the saves under way or in the queue, which the next page shows.

/** The requests that wait for the release of a button. @type {(() => void)[] | undefined} */
let waiting;

addEventListener(
  "pointerdown",
  ({ target, pointerId }) => {
    const pressed = /** @type {Element} */ (target).closest("a, button, summary, label, [role=option]");
    if (pressed?.matches("a:not([hx-get])")) pressed.setPointerCapture(pointerId);
    else if (pressed) waiting ??= [];
  },
  { capture: true },
);
for (const name of ["pointerup", "pointercancel"])
  addEventListener(
    name,
    () => {
      const requests = waiting ?? [];
      waiting = undefined;
      for (const request of requests) request();
    },
    { capture: true },
  );

const SAVE = ":is([method=post], [hx-post]):not([data-reads])"; // a form or button that saves

/** What saves once another request has ended. @type {Set<Element>} */
const queued = new Set();

document.addEventListener("htmx:confirm", (event) => {
  const { elt, issueRequest } = /** @type {CustomEvent} */ (event).detail;
  if (elt.matches(SAVE)) queued.add(elt);
  if (!waiting) return;
  event.preventDefault();
  waiting.push(() => issueRequest());
});
document.addEventListener("htmx:beforeRequest", ({ target }) => queued.delete(/** @type {Element} */ (target)));

/** Report whether a save is on its way, or waits in the queue. */
export const isSaving = () => Boolean(document.querySelector(`${queued.size ? "" : SAVE}.htmx-request`));
const LINK = 'a[href]:not([target], [download], [href^="#"])';
const LONGEST = 3000; // milliseconds; a save that takes longer is not waited for

// After all other listeners, which may handle the link.
addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const link = /** @type {HTMLAnchorElement | null} */ (target.closest(LINK));
  const isModified = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || isModified || !isSaving()) return;
  event.preventDefault();
  const heard = new AbortController();
  const go = () => {
    heard.abort();
    clearTimeout(timer);
    location.assign(link.href);
  };
  const timer = setTimeout(go, LONGEST);
  // The next save in the queue begins at once.
  const look = () => setTimeout(() => heard.signal.aborted || isSaving() || go());
  document.body.addEventListener("htmx:afterRequest", look, { signal: heard.signal });
});
