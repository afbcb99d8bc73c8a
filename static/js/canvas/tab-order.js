// Tab moves through the canvas along the pipeline: from the entry along the transitions, then through the other stages.

/** @typedef {{id: string, x: number, y: number}} Place */
/** @typedef {{id: string, source: string, target: string, isNext: boolean}} Link */

/**
 * The ids of the cards along the links, from the entry: each card is followed by its next one, then by its other
 * targets from top to bottom. Cards that are not reached come last, from left to right.
 * @param {Place[]} cards
 * @param {Link[]} links
 * @param {string} entry
 * @returns {string[]}
 */
export function flowOrder(cards, links, entry) {
  const places = new Map(cards.map((card) => [card.id, card]));
  /** @type {Map<string, Link[]>} */
  const outgoing = new Map();
  for (const link of links.filter(({ target }) => places.has(target))) {
    if (!outgoing.has(link.source)) outgoing.set(link.source, []);
    outgoing.get(link.source)?.push(link);
  }
  const place = (id) => /** @type {Place} */ (places.get(id));
  for (const list of outgoing.values())
    list.sort((a, b) => Number(b.isNext) - Number(a.isNext) || place(a.target).y - place(b.target).y);
  /** @type {Set<string>} */
  const order = new Set();
  const others = [...cards].sort((a, b) => a.x - b.x || a.y - b.y).map(({ id }) => id);
  for (const start of places.has(entry) ? [entry, ...others] : others) {
    const waiting = [start];
    for (let id; (id = waiting.pop()) !== undefined; ) {
      if (order.has(id)) continue;
      order.add(id);
      const targets = (outgoing.get(id) ?? []).map(({ target }) => target);
      waiting.push(...targets.reverse());
    }
  }
  return [...order];
}

/** Put the stages and the transitions in order whenever Tab is pressed. @param {import("./canvas.js").Canvas} canvas */
export function orderByFlow(canvas) {
  document.addEventListener("keydown", ({ key }) => key === "Tab" && arrangeAll(canvas), true);
}

/** @param {import("./canvas.js").Canvas} canvas */
function arrangeAll(canvas) {
  canvas.processChanges();
  const cards = canvas.stages.map(([id, { x, y }]) => ({ id, x, y }));
  const links = [...canvas.edges].map(([id, { source, target, element }]) => ({
    id,
    source,
    target,
    isNext: element.dataset.kind === "next",
  }));
  const entry = canvas.stages.find(([, { element }]) => element.dataset.entry !== undefined)?.[0] ?? "";
  const order = flowOrder(cards, links, entry);
  const rank = new Map(order.map((id, at) => [id, at]));
  const at = (id) => rank.get(id) ?? order.length;
  const isNext = ({ isNext }) => Number(isNext);
  links.sort((a, b) => at(a.source) - at(b.source) || isNext(b) - isNext(a) || at(a.target) - at(b.target));
  arrange(order.map((id) => canvas.elementOf(id)));
  arrange(links.map(({ id }) => canvas.elementOf(id)));
  canvas.observer.takeRecords(); // the elements are the same
}

/**
 * Order elements with the same parent. The one with the focus stays where it is, so that it keeps the focus.
 * @param {(Element | undefined)[]} elements
 */
function arrange(elements) {
  const all = /** @type {Element[]} */ (elements.filter((element) => element !== undefined));
  if (all.every((element, at) => !at || all[at - 1].nextElementSibling === element)) return;
  const focused = all.findIndex((element) => element.contains(document.activeElement));
  if (focused < 0) return all[0].parentElement?.append(...all);
  all[focused].before(...all.slice(0, focused));
  all[focused].after(...all.slice(focused + 1));
}
