// Tabs: a click or an arrow key shows one panel of its list and hides the others.

document.addEventListener("click", (event) => {
  const tab = /** @type {Element} */ (event.target).closest('[role="tab"]');
  if (tab) show(/** @type {HTMLElement} */ (tab));
});

document.addEventListener("keydown", (event) => {
  const tab = /** @type {Element} */ (event.target).closest?.('[role="tab"]');
  if (!tab) return;
  const tabs = siblings(tab);
  const at = tabs.indexOf(/** @type {HTMLElement} */ (tab));
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs[(to + tabs.length) % tabs.length];
  show(next);
  next.focus();
});

document.body.addEventListener("htmx:load", (event) => arrange(/** @type {Element} */ (event.target)));
arrange(document.body);

/** @param {HTMLElement} tab */
function show(tab) {
  for (const other of siblings(tab)) {
    const shown = other === tab;
    other.setAttribute("aria-selected", String(shown));
    other.tabIndex = shown ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = !shown;
  }
}

/** @param {Element} tab */
function siblings(tab) {
  const list = tab.closest('[role="tablist"]');
  return /** @type {HTMLElement[]} */ (list ? [...list.querySelectorAll('[role="tab"]')] : [tab]);
}

/** Only the selected tab of a list is reached by Tab. @param {Element} root */
function arrange(root) {
  for (const tab of root.querySelectorAll('[role="tab"]')) {
    /** @type {HTMLElement} */ (tab).tabIndex = tab.getAttribute("aria-selected") === "true" ? 0 : -1;
  }
}
