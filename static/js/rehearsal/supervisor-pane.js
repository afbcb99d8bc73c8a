// The supervisor pane: its tabs, which load their content when they open, and its size.
import { load } from "../core/offline.js";

const pane = document.getElementById("supervisor");
const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#supervisor [role=tab]")]);
const CONTENT_FORMS = { "tab-timeline": "timeline-form", "tab-context": "context-form" };
const PAUSE = 800; // milliseconds between two refreshes during a run

/** Open a tab. @param {string} id @param {{focuses?: boolean}} [how] */
export function open(id, { focuses = false } = {}) {
  for (const tab of tabs) {
    const isOpen = tab.id === id;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = !isOpen;
    if (isOpen && focuses) tab.focus();
  }
  loadContent();
}

const isOpen = (id) => document.getElementById(id)?.getAttribute("aria-selected") === "true";

/** Load the content of the open tab. */
async function loadContent() {
  for (const [tab, form] of Object.entries(CONTENT_FORMS)) {
    if (!isOpen(tab)) continue;
    if (tab === "tab-timeline") (await load(import("./trace/timeline.js"))).watch();
    /** @type {HTMLFormElement | null} */ (document.getElementById(form))?.requestSubmit();
  }
}

for (const [index, tab] of tabs.entries()) {
  tab.addEventListener("click", () => open(tab.id));
  tab.addEventListener("keydown", ({ key }) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[key];
    if (to !== undefined) open(/** @type {HTMLElement} */ (tabs.at(to % tabs.length)).id, { focuses: true });
  });
}

const size = document.getElementById("pane-size");
size?.addEventListener("click", () => {
  const isTall = document.body.toggleAttribute("data-tall");
  size.setAttribute("aria-pressed", String(isTall));
  const label = isTall ? "Show less of the pane" : "Show more of the pane";
  size.setAttribute("aria-label", label);
  size.title = label;
});

let waiting = 0;
// While someone chooses a run, refreshes wait.
const isChoosing = () => Boolean(document.activeElement?.matches("#timeline select"));
document.getElementById("timeline")?.addEventListener("focusout", ({ target, relatedTarget }) => {
  if (relatedTarget && /** @type {Element} */ (target).matches("select")) loadContent();
});

document.addEventListener("baton:grown", () => {
  if (!waiting && !isOpen("tab-trace")) {
    waiting = window.setTimeout(() => {
      waiting = 0;
      if (!isChoosing()) loadContent();
    }, PAUSE);
  }
});

// Elements that stand for an event lead to it.
pane?.addEventListener("click", async (event) => {
  const link = /** @type {HTMLElement | null} */ (
    /** @type {Element} */ (event.target).closest("[data-seq], [data-show]")
  );
  if (!link) return;
  open("tab-trace");
  (await load(import("./trace/trace.js"))).show(Number(link.dataset.seq ?? link.dataset.show));
});
