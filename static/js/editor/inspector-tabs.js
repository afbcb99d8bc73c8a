// The tabs of the inspector belong to the selected part: a tab that is pressed before that part is shown is opened when
// it is, and the late answer to a tab of the part before does not replace it.

const selecting = document.getElementById("gesture-select");
let isSelecting = false;
let wanted = ""; // id of the pressed tab
/** Tabs of parts that are not selected any more, with requests on their way. @type {WeakSet<Element>} */
const outdated = new WeakSet();

selecting?.addEventListener("htmx:beforeRequest", () => {
  isSelecting = true;
  for (const tab of document.querySelectorAll("#inspector .tab.htmx-request")) outdated.add(tab);
});
selecting?.addEventListener("htmx:afterRequest", () => {
  isSelecting = false;
  const tab = document.getElementById(wanted);
  wanted = "";
  if (tab && !tab.hasAttribute("aria-current")) tab.click();
});

document.addEventListener("htmx:confirm", (event) => {
  const { target } = event;
  if (!isSelecting || !(target instanceof Element && target.matches("#inspector .tab"))) return;
  event.preventDefault();
  wanted = target.id;
});
document.addEventListener(
  "htmx:beforeSwap",
  (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (outdated.has(detail.requestConfig?.elt)) detail.shouldSwap = false;
  },
  { capture: true },
);
