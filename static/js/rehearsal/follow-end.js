// Keeps a growing pane scrolled to its end, unless the reader has scrolled away.

const NEAR = 48;
const OWN = ".said-by-user";

/** @param {HTMLElement} pane */
export function followEnd(pane) {
  let following = true;
  let end = 0;
  const toEnd = () => {
    if (!following) return;
    pane.scrollTop = pane.scrollHeight;
    end = pane.scrollTop;
  };
  // A reader who has not scrolled is still at the end, even if the pane has grown or shrunk.
  pane.addEventListener("scroll", () => {
    const isNear = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR;
    following = isNear || (following && pane.scrollTop >= end);
  });
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]);
    following ||= added.some((node) => node instanceof Element && node.matches(OWN));
    toEnd();
  }).observe(pane, { childList: true, subtree: true, characterData: true });
  new ResizeObserver(toEnd).observe(pane);
  toEnd();
}
