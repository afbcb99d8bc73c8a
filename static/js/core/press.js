// Lets every press count. A press leaves a field, which is saved by that, and the answer may move or replace the
// pressed button before its release. So requests wait for the release of a button. A link to another page, before which
// the field must be saved, gets the release wherever it has moved to.

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
