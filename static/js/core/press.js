// Lets every press count. A press leaves a field, which is saved by that, and the answer may move or replace the
// pressed button before its release. So requests wait for the release of a button. A link to another page gets the
// release wherever it has moved to, and waits for the saves under way, which the next page shows.

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

document.addEventListener("htmx:confirm", (event) => {
  if (!waiting) return;
  event.preventDefault();
  const { issueRequest } = /** @type {CustomEvent} */ (event).detail;
  waiting.push(() => issueRequest());
});

/** Selector of the forms and buttons with a save on its way. */
export const SAVING = ":is([method=post], [hx-post]).htmx-request:not([data-reads])";
const LINK = 'a[href]:not([target], [download], [href^="#"])';
const LONGEST = 3000; // milliseconds; a save that takes longer is not waited for

// After all other listeners, which may handle the link.
addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const link = /** @type {HTMLAnchorElement | null} */ (target.closest(LINK));
  const isModified = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || isModified || !document.querySelector(SAVING)) return;
  event.preventDefault();
  const heard = new AbortController();
  const go = () => {
    heard.abort();
    clearTimeout(timer);
    location.assign(link.href);
  };
  const timer = setTimeout(go, LONGEST);
  // The next save in the queue begins at once.
  const look = () => setTimeout(() => heard.signal.aborted || document.querySelector(SAVING) || go());
  document.body.addEventListener("htmx:afterRequest", look, { signal: heard.signal });
});
