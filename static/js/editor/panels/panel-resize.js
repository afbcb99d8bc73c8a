// Resizes the bottom panel by its upper edge, by drag or key. Each tab keeps its height.
const KEPT = "baton:panel";
const STEP = 24; // pixels for an arrow key
const LEAST = 96;
const LEFT = 160; // pixels that remain for the canvas

const handle = /** @type {HTMLElement} */ (document.querySelector(".resize-handle"));
const panel = /** @type {HTMLElement} */ (document.getElementById("bottom-panel"));

/** The open tab. */
const tab = () =>
  /** @type {HTMLInputElement | null} */ (panel.querySelector("#panel-state [name=panel]"))?.value ?? "";

const most = () =>
  Math.max(LEAST, innerHeight - /** @type {HTMLElement} */ (document.querySelector(".top")).offsetHeight - LEFT);

/** @returns {Record<string, number>} heights by tab */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {}; // storage is switched off
  }
}

/** Show the panel with its stored height, or its default height. */
function show(height = kept()[tab()]) {
  if (height) panel.style.setProperty("--bottom-size", `${Math.min(most(), Math.max(LEAST, height))}px`);
  else panel.style.removeProperty("--bottom-size");
  const range = { now: panel.offsetHeight, min: LEAST, max: most() };
  for (const [name, value] of Object.entries(range)) {
    handle.setAttribute(`aria-value${name}`, String(Math.round(value)));
  }
  handle.setAttribute("aria-valuetext", `${panel.offsetHeight} pixels`);
}

/** @param {number | undefined} height undefined: the default height */
function set(height) {
  show(height);
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [tab()]: height && panel.offsetHeight }));
  } catch {
    // Without storage, the height holds until the page is left.
  }
}

handle.addEventListener("pointerdown", (start) => {
  if (start.button !== 0) return;
  const before = panel.offsetHeight;
  const stop = new AbortController();
  const height = ({ clientY }) => before + start.clientY - clientY;
  handle.setPointerCapture(start.pointerId);
  handle.addEventListener("pointermove", (event) => show(height(event)), stop);
  for (const name of ["pointerup", "pointercancel"]) {
    handle.addEventListener(
      name,
      (event) => {
        stop.abort();
        if (name === "pointerup" && event.clientY !== start.clientY) set(height(event));
        else show();
      },
      stop,
    );
  }
});
handle.addEventListener("dblclick", () => set(undefined));
handle.addEventListener("keydown", (event) => {
  const now = panel.offsetHeight;
  const to = {
    ArrowUp: now + STEP,
    ArrowDown: now - STEP,
    PageUp: now + 4 * STEP,
    PageDown: now - 4 * STEP,
    Home: LEAST,
    End: most(),
  }[event.key];
  if (to === undefined && event.key !== "Enter") return;
  event.preventDefault();
  set(to);
});

document.body.addEventListener("htmx:afterSettle", ({ target }) => target === panel && show());
for (const name of ["resize", "baton:folded"]) addEventListener(name, () => show());
show();
