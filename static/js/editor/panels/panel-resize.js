// Resizes the bottom panel by its upper edge and the inspector by its side, by drag or key. Each tab of the bottom
// panel keeps its height.
const KEPT = "baton:panel";
const STEP = 24; // pixels for an arrow key
const MARGINS = 212; // pixels above the bottom panel: the bar on top, and a part of the canvas

/**
 * A panel with an edge to drag.
 * @typedef {object} Resizable
 * @property {string} panel the id of its element
 * @property {string} property the custom property of its size
 * @property {HTMLElement} owner the element with that property
 * @property {"height" | "width"} side
 * @property {() => string} name under which the size is stored
 * @property {number} least
 * @property {() => number} most
 */

/** The open tab of the bottom panel. */
const openTab = () =>
  /** @type {HTMLInputElement | null} */ (document.querySelector("#panel-state [name=panel]"))?.value ?? "";

/** @type {Resizable[]} */
const PANELS = [
  {
    panel: "bottom-panel",
    property: "--bottom-size",
    owner: /** @type {HTMLElement} */ (document.getElementById("bottom-panel")),
    side: "height",
    name: openTab,
    least: 96,
    most: () => Math.max(96, innerHeight - MARGINS),
  },
  {
    panel: "inspector",
    property: "--right-size",
    owner: document.body,
    side: "width",
    name: () => "inspector",
    least: 280,
    most: () => Math.max(280, Math.round(innerWidth * 0.6)),
  },
];

/** @returns {Record<string, number>} sizes by name */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {}; // storage is switched off
  }
}

/** @param {Resizable} resizable */
function offer({ panel: id, property, owner, side, name, least, most }) {
  const panel = /** @type {HTMLElement} */ (document.getElementById(id));
  const handle = /** @type {HTMLElement} */ (document.querySelector(`.resize-handle[aria-controls="${id}"]`));
  const isHigh = side === "height";
  const size = () => (isHigh ? panel.offsetHeight : panel.offsetWidth);

  /** Tell screen readers the size; it changes with the content too. */
  const report = () => {
    const range = { now: size(), min: least, max: most() };
    for (const [part, value] of Object.entries(range)) {
      handle.setAttribute(`aria-value${part}`, String(Math.round(value)));
    }
    handle.setAttribute("aria-valuetext", `${range.now} pixels`);
  };

  /** Show the panel with its stored size, or its default size. */
  const show = (chosen = kept()[name()]) => {
    panel.toggleAttribute("data-sized", Boolean(chosen));
    if (chosen) owner.style.setProperty(property, `${Math.min(most(), Math.max(least, chosen))}px`);
    else owner.style.removeProperty(property);
    report();
  };

  /** @param {number | undefined} chosen undefined: the default size */
  const set = (chosen) => {
    show(chosen);
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [name()]: chosen && size() }));
    } catch {
      // Without storage, the size holds until the page is left.
    }
  };

  handle.addEventListener("pointerdown", (start) => {
    if (start.button !== 0) return;
    const before = size();
    const stop = new AbortController();
    const by = (event) => (isHigh ? start.clientY - event.clientY : start.clientX - event.clientX);
    handle.setPointerCapture(start.pointerId);
    handle.addEventListener("pointermove", (event) => show(before + by(event)), stop);
    for (const end of ["pointerup", "pointercancel"]) {
      handle.addEventListener(
        end,
        (event) => {
          stop.abort();
          if (end === "pointerup" && by(event)) set(before + by(event));
          else show();
        },
        stop,
      );
    }
  });
  handle.addEventListener("dblclick", () => set(undefined));
  handle.addEventListener("keydown", (event) => {
    const now = size();
    const [more, less] = isHigh ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const to = {
      [more]: now + STEP,
      [less]: now - STEP,
      PageUp: now + 4 * STEP,
      PageDown: now - 4 * STEP,
      Home: least,
      End: most(),
    }[event.key];
    if (to === undefined && event.key !== "Enter") return;
    event.preventDefault();
    set(to);
  });
  document.body.addEventListener("htmx:afterSettle", ({ target }) => target === panel && show());
  new ResizeObserver(report).observe(panel);
  for (const event of ["resize", "baton:folded"]) addEventListener(event, () => show());
  show();
}

PANELS.forEach(offer);
