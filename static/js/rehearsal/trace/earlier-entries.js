// Loads earlier entries of a list when its begin becomes visible, and limits the number of entries in the chat.

const MOST = 600; // largest number of entries in the chat
const KEPT = 300; // number of entries after a reduction
const NEAR = 48; // pixels from the end that count as the end

/** @type {Map<HTMLElement, IntersectionObserver>} */
const observers = new Map();

/**
 * Load earlier entries when the link to them becomes visible, without moving the visible ones.
 * @param {HTMLElement} list
 */
export function loadEarlier(list) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) target.querySelector("form")?.requestSubmit();
    },
    { root: list, rootMargin: "120px" },
  );
  observers.set(list, observer);
  const look = () => {
    const link = list.querySelector(":scope > .earlier");
    if (link) observer.observe(link);
  };
  let [height, top] = [0, 0];
  list.addEventListener("htmx:beforeSwap", () => ([height, top] = [list.scrollHeight, list.scrollTop]));
  list.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target !== list && /** @type {Element} */ (target).matches(".earlier"))
      list.scrollTop = top + list.scrollHeight - height;
  });
  // The link comes with a page of earlier events, or by the socket with all entries.
  new MutationObserver(look).observe(list, { childList: true });
  // At first the list is scrolled to its end: nothing is loaded before that.
  requestAnimationFrame(() => requestAnimationFrame(look));
}

/**
 * Point the link to the earlier entries at those just removed.
 * @param {HTMLElement} list
 * @param {number} first number of the first remaining event
 */
export function linkToEarlier(list, first) {
  let link = list.querySelector(":scope > .earlier");
  if (!link) {
    const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById(`earlier-${list.id}`));
    const made = template?.content.firstElementChild?.cloneNode(true);
    if (!(made instanceof HTMLElement)) return;
    list.prepend(made);
    /** @type {any} */ (window).htmx?.process(made);
    observers.get(list)?.observe(made);
    link = made;
  }
  /** @type {HTMLInputElement} */ (link.querySelector("[name=before]")).value = String(first);
}

/** Limit the chat while its end is visible: the remaining part begins with a message. @param {HTMLElement} log */
function bound(log) {
  const entries = [...log.children];
  if (entries.length <= MOST || log.scrollHeight - log.scrollTop - log.clientHeight > NEAR) return;
  const said = entries.slice(0, -KEPT).findLast((entry) => entry.matches(".said-by-user"));
  const first = Number(said?.id.replace("chat-", ""));
  if (!first) return;
  for (const entry of entries.slice(0, entries.indexOf(/** @type {Element} */ (said))))
    if (!entry.matches(".earlier")) entry.remove();
  linkToEarlier(log, first);
}

const log = document.getElementById("chat-log");
if (log) {
  loadEarlier(log);
  new MutationObserver(() => bound(log)).observe(log, { childList: true });
}
