// Aligns or distributes the selected stages, each as one edit; fits the selection into the view.
import { HEIGHT, WIDTH } from "../../canvas/geometry.js";
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/** @typedef {import("../../canvas/geometry.js").Point} Point */
/** @typedef {import("../../canvas/commands/command.js").Page} Page */

const GAP = 24; // pixels between cards that are moved apart

/** The ids of the selected stages. @param {Page} page */
export const selectedStages = ({ canvas, selection }) => [...selection.ids].filter((id) => canvas.phaseOf(id));

/**
 * Align the selected stages. Cards have one size: equal left edges mean equal middles and right edges, too. Cards that
 * would overlap are moved apart along the line.
 * @param {Page} page
 * @param {"left" | "centre" | "right" | "top" | "middle" | "bottom"} line
 */
export function align(page, line) {
  const cards = placesOf(page);
  return place(aligned(cards, line), "align", `Aligned ${cards.length} stages`);
}

/**
 * Align cards, in their order along the line.
 * @template {Point} Card
 * @param {Card[]} cards
 * @param {string} line
 * @returns {Card[]}
 */
export function aligned(cards, line) {
  const [axis, along, size] = ["left", "centre", "right"].includes(line) ? ["x", "y", HEIGHT] : ["y", "x", WIDTH];
  const all = cards.map((card) => card[axis]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const at = Math.round({ left: low, top: low, right: high, bottom: high }[line] ?? (low + high) / 2);
  const inOrder = [...cards].sort((a, b) => a[along] - b[along] || a[axis] - b[axis]);
  let next = -Infinity;
  return inOrder.map((card) => {
    const place = Math.max(card[along], next);
    next = place + size + GAP;
    return { ...card, [axis]: at, [along]: place };
  });
}

/** Distribute the selected stages evenly between the first and the last. @param {Page} page @param {"x" | "y"} axis */
export function distribute(page, axis) {
  const cards = placesOf(page).sort((a, b) => a[axis] - b[axis]);
  const [first, last] = [cards[0], cards[cards.length - 1]];
  const step = (last[axis] - first[axis]) / (cards.length - 1);
  const spaced = cards.map((card, at) => ({ ...card, [axis]: Math.round(first[axis] + at * step) }));
  return place(spaced, "distribute", `Spaced ${cards.length} stages evenly`);
}

/**
 * Fit the selection into the view, at most at full size. Frames around it are shown with their titles.
 * @param {Page} page
 */
export function fitSelection({ canvas, view, selection }) {
  const { framing } = canvas;
  const ids = [...selection.ids].flatMap((id) => {
    const edge = canvas.edges.get(id);
    return edge ? [edge.source, edge.target] : [id];
  });
  const isSelectedWhole = (id) => framing?.cardsIn(id)?.every((card) => ids.includes(card));
  const frames = [...canvas.frames.keys()].filter((id) => ids.includes(id) || isSelectedWhole(id));
  view.fit([...ids.flatMap((id) => canvas.cards.get(id) ?? []), ...frames.flatMap((id) => framing?.boxOf(id) ?? [])]);
}

/** Also select the stages connected with the selection. @param {Page} page */
export function selectNeighbours({ canvas, selection }) {
  const ids = [...selection.ids];
  const edges = [...ids.filter((id) => canvas.edges.has(id)), ...canvas.edgesAt(ids)];
  const ends = edges.flatMap((id) => [canvas.edges.get(id)?.source ?? "", canvas.edges.get(id)?.target ?? ""]);
  selection.set([...ids.filter((id) => canvas.cards.has(id)), ...ends]);
  selection.open();
  announce(`${selection.ids.size} selected`);
}

/** @param {Page} page */
const placesOf = (page) =>
  selectedStages(page).map((id) => {
    const { x, y, element } = /** @type {import("../../canvas/canvas.js").Card} */ (page.canvas.cards.get(id));
    return { phase: element.dataset.phase ?? "", x, y };
  });

/** @param {{phase: string, x: number, y: number}[]} moves @param {string} how @param {string} announcement */
async function place(moves, how, announcement) {
  if (await submit("move", { moves: JSON.stringify(moves), by_keys: "", how })) announce(announcement);
}
