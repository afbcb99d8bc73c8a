// Searches, sorts and filters the list of pipelines. The order is remembered.
import { announce } from "../core/notice.js";

/**
 * A pipeline in the list, as the data of its card.
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} search text that the search reads
 * @property {string[]} tags
 * @property {number} active time of the last activity
 * @property {number} errors
 * @property {number} warnings
 */

const ORDER = "baton:list-order";

/** Comparisons of two pipelines by the name of the order. @type {Record<string, (a: Entry, b: Entry) => number>} */
const ORDERS = {
  activity: (a, b) => b.active - a.active,
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: "base" }),
  problems: (a, b) => b.errors - a.errors || b.warnings - a.warnings || b.active - a.active,
};

/**
 * Report whether a pipeline contains every word of the query, in any case, and has the tag if one is chosen.
 * @param {Entry} entry
 * @param {string} query
 * @param {string} tag
 */
export function matches(entry, query, tag) {
  const text = entry.search.toLocaleLowerCase();
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const wanted = tag.toLocaleLowerCase();
  const tagged = !tag || entry.tags.some((each) => each.toLocaleLowerCase() === wanted);
  return tagged && words.every((word) => text.includes(word));
}

/**
 * Return the pipelines in an order; equal ones keep theirs.
 * @template {Entry} T
 * @param {T[]} entries
 * @param {string} order
 * @returns {T[]}
 */
export const inOrder = (entries, order) => entries.toSorted(ORDERS[order] ?? ORDERS.activity);

/** @param {HTMLElement} card @returns {Entry & {card: HTMLElement}} */
function entryOf(card) {
  const { name = "", search = "", tags, active, errors, warnings } = card.dataset;
  return {
    card,
    name,
    search,
    tags: tags ? tags.split(",") : [],
    active: Number(active),
    errors: Number(errors),
    warnings: Number(warnings),
  };
}

/** Connect the tools with the list. @param {HTMLElement} tools @param {HTMLElement} list */
function start(tools, list) {
  const search = /** @type {HTMLInputElement} */ (tools.querySelector("#list-search"));
  const order = /** @type {HTMLSelectElement} */ (tools.querySelector("#list-order"));
  const tagButtons = /** @type {HTMLElement[]} */ ([...tools.querySelectorAll("[data-tag]")]);
  const nothing = document.getElementById("list-nothing");
  const entries = /** @type {HTMLElement[]} */ ([...list.children]).map(entryOf);

  const show = () => {
    const tag = tagButtons.find((button) => button.ariaPressed === "true")?.dataset.tag ?? "";
    let count = 0;
    for (const entry of entries) {
      entry.card.hidden = !matches(entry, search.value, tag);
      if (!entry.card.hidden) count += 1;
    }
    nothing?.toggleAttribute("hidden", count > 0);
    announce(`${count} of ${entries.length} pipelines`);
  };
  const sort = () => list.append(...inOrder(entries, order.value).map(({ card }) => card));
  const press = (/** @type {HTMLElement | undefined} */ pressed) => {
    for (const button of tagButtons)
      button.ariaPressed = String(button === pressed && button.ariaPressed !== "true");
    show();
  };

  search.addEventListener("input", show);
  order.addEventListener("change", () => {
    localStorage.setItem(ORDER, order.value);
    sort();
  });
  for (const button of tagButtons) button.addEventListener("click", () => press(button));
  document.getElementById("list-all")?.addEventListener("click", () => {
    search.value = "";
    press(undefined);
    search.focus();
  });
  const remembered = localStorage.getItem(ORDER) ?? "";
  if (remembered in ORDERS && remembered !== order.value) {
    order.value = remembered;
    sort();
  }
  if (search.value) show();
}

const tools = document.getElementById("list-tools");
const list = document.getElementById("pipelines");
if (tools && list) start(tools, list);
