// A pane that grows stays at its end, unless the reader has scrolled away from it.

const NEAR = 48;

/** @param {HTMLElement} pane */
export function follow(pane) {
  let following = true;
  const toEnd = () => {
    if (following) pane.scrollTop = pane.scrollHeight;
  };
  pane.addEventListener("scroll", () => {
    following = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR;
  });
  new MutationObserver(toEnd).observe(pane, { childList: true, subtree: true, characterData: true });
  new ResizeObserver(toEnd).observe(pane);
  toEnd();
}
