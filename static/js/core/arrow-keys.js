// One tab stop for a list: the arrow keys move the focus among its items.

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * @typedef {object} Arrows
 * @property {string} items selector of the items
 * @property {string} [stop] selector of the tab stop, if it is not the list itself
 * @property {(items: HTMLElement[]) => HTMLElement[]} [order] sorts the items
 */

/** @param {HTMLElement} list @param {Arrows} arrows */
export function moveByArrows(list, { items: selector, stop = "", order = (items) => items }) {
  list.addEventListener("keydown", (event) => {
    const { key } = event;
    const target = /** @type {HTMLElement} */ (event.target);
    const isItem = target.matches(selector);
    const isStop = stop ? target.matches(stop) : target === list;
    if (!(key in STEPS || key === "Home" || key === "End") || !(isItem || isStop)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)]);
    const items = order(all.filter((item) => item.checkVisibility()));
    const to = key === "Home" ? items[0] : key === "End" ? items.at(-1) : next(items, target, STEPS[key], list);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/**
 * The item after or before another one; from the tab stop, the first item in view or the last item.
 * @param {HTMLElement[]} items @param {HTMLElement} from @param {number} step @param {HTMLElement} list
 */
function next(items, from, step, list) {
  const at = items.indexOf(from);
  if (at >= 0) return items[at + step];
  if (step < 0) return items.at(-1);
  const top = list.getBoundingClientRect().top;
  return items.find((item) => item.getBoundingClientRect().top >= top) ?? items[0];
}
