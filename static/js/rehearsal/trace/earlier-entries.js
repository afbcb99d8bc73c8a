// What is not on the page any more, or not yet: the way to it, which is taken when it comes into sight; and of the chat
// as
// much as the page can bear.

const MOST = 600; // entries of the chat
const KEPT = 300; // of them, when there are more
const NEAR = 48; // pixels from the end that are still the end

/** @type {Map<HTMLElement, IntersectionObserver>} */
const observers = new Map();

/**
 * Have what is earlier brought when the way to it comes into sight, and let what is read stay where it is.
 * @param {HTMLElement} list
 */
export function seeEarlier(list) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) target.querySelector("form")?.requestSubmit();
    },
    { root: list, rootMargin: "120px" },
  );
  observers.set(list, observer);
  const look = () => {
    const way = list.querySelector(":scope > .earlier");
    if (way) observer.observe(way);
  };
  let [height, top] = [0, 0];
  list.addEventListener("htmx:beforeSwap", () => ([height, top] = [list.scrollHeight, list.scrollTop]));
  list.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target !== list && /** @type {Element} */ (target).matches(".earlier"))
      list.scrollTop = top + list.scrollHeight - height;
  });
  // However it came: with a page of earlier events, or by the socket when all is shown anew.
  new MutationObserver(look).observe(list, { childList: true });
  // At first the list is at its end: nothing earlier is asked for before it is there.
  requestAnimationFrame(() => requestAnimationFrame(look));
}

/**
 * The way to what is earlier leads to what was just let go.
 * @param {HTMLElement} list
 * @param {number} first the first event that is still there
 */
export function leadBack(list, first) {
  let way = list.querySelector(":scope > .earlier");
  if (!way) {
    const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById(`earlier-${list.id}`));
    const made = template?.content.firstElementChild?.cloneNode(true);
    if (!(made instanceof HTMLElement)) return;
    list.prepend(made);
    /** @type {any} */ (window).htmx?.process(made);
    observers.get(list)?.observe(made);
    way = made;
  }
  /** @type {HTMLInputElement} */ (way.querySelector("[name=before]")).value = String(first);
}

/**
 * Hold no more of the chat than the page can bear, while its end is read: what is let go begins with a message.
 * @param {HTMLElement} log
 */
function bound(log) {
  const entries = [...log.children];
  if (entries.length <= MOST || log.scrollHeight - log.scrollTop - log.clientHeight > NEAR) return;
  const said = entries.slice(0, -KEPT).findLast((entry) => entry.matches(".said-by-user"));
  const first = Number(said?.id.replace("chat-", ""));
  if (!first) return;
  for (const entry of entries.slice(0, entries.indexOf(/** @type {Element} */ (said))))
    if (!entry.matches(".earlier")) entry.remove();
  leadBack(log, first);
}

const log = document.getElementById("chat-log");
if (log) {
  seeEarlier(log);
  new MutationObserver(() => bound(log)).observe(log, { childList: true });
}
