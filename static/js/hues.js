// Paints hues: the policy forbids inline styles, so an agent's hue travels as a data attribute.

/** @param {Element} element */
function paint(element) {
  /** @type {HTMLElement} */ (element).style.setProperty("--hue", element.getAttribute("data-hue"));
}

/** @param {Element} root */
function paintWithin(root) {
  if (root.matches("[data-hue]")) paint(root);
  root.querySelectorAll("[data-hue]").forEach(paint);
}

// An observer runs before the next paint, whoever put the element there: page, htmx or socket.
new MutationObserver((records) => {
  for (const record of records) {
    for (const node of record.addedNodes) {
      if (node instanceof Element) paintWithin(node);
    }
  }
}).observe(document.body, { childList: true, subtree: true });

paintWithin(document.body);
