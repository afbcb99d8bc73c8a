// Leads the lines of pipeline pictures around the cards, as the editor does, once a picture is visible and the page
// idle.
// Without this module the lines are the plain curves from the server.
import { load } from "../core/offline.js";
import { HEIGHT, WIDTH } from "../canvas/geometry.js";

/** @typedef {import("../canvas/geometry.js").Box} Box */
/** @typedef {{width: number, height: number}} Size */
/** The indices of two cards. @typedef {[number, number]} Ends */

const RIM = 3; // pixels that stay free at the rim of a picture

/**
 * Route the lines between cards of one size. No line leaves the frame.
 * @param {Box[]} cards
 * @param {Ends[]} edges
 * @param {Size} frame
 * @returns {Promise<string[]>}
 */
export async function routedPaths(cards, edges, frame) {
  if (!edges.length) return [];
  const { routes } = await load(import("../canvas/edges/edge-router.js"));
  // The router knows cards of the editor's size only.
  const [across, down] = [WIDTH / cards[0].width, HEIGHT / cards[0].height];
  const large = cards.map(
    ({ x, y }, at) =>
      /** @type {[string, Box]} */ ([String(at), { x: x * across, y: y * down, width: WIDTH, height: HEIGHT }]),
  );
  const found = await routes(
    large,
    edges.map(([source, target], at) => ({ id: String(at), source: String(source), target: String(target) })),
  );
  const points = edges.flatMap((_, at) => found[at]?.points ?? []);
  const xs = within(
    cards.map(({ x, width }) => [x, x + width]).flat(),
    points.map(({ x }) => x / across),
    frame.width,
  );
  const ys = within(
    cards.map(({ y, height }) => [y, y + height]).flat(),
    points.map(({ y }) => y / down),
    frame.height,
  );
  const placed = (_, x, y) => `${rounded(xs(Number(x) / across))},${rounded(ys(Number(y) / down))}`;
  return edges.map((_, at) => found[at]?.d.replace(/(-?[\d.]+(?:e-?\d+)?),(-?[\d.]+(?:e-?\d+)?)/g, placed) ?? "");
}

/**
 * Return a function that moves coordinates beyond all cards nearer to them, so that no line leaves the frame.
 * @param {number[]} cards
 * @param {number[]} lines
 * @param {number} size
 */
function within(cards, lines, size) {
  const [low, high] = [Math.min(...cards), Math.max(...cards)];
  const before = Math.min(1, (low - RIM) / (low - Math.min(low, ...lines)));
  const behind = Math.min(1, (size - RIM - high) / (Math.max(high, ...lines) - high));
  return (/** @type {number} */ at) =>
    at < low ? low - (low - at) * before : at > high ? high + (at - high) * behind : at;
}

/** Route the lines of a picture. @param {Element} picture */
async function routeLines(picture) {
  const { width, height } = /** @type {SVGSVGElement} */ (picture).viewBox.baseVal;
  const cards = [
    ...(picture.querySelector(".picture__cards")?.getAttribute("d") ?? "").matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g),
  ].map((card) => {
    const [x, y, width, height] = card.slice(1).map(Number);
    return { x, y, width, height };
  });
  const lines = /** @type {SVGPathElement[]} */ ([...picture.querySelectorAll("[data-edges]")]);
  const edges = lines.map(({ dataset }) =>
    (dataset.edges ?? "").split(" ").map((pair) => /** @type {Ends} */ (pair.split("-").map(Number))),
  );
  const paths = await routedPaths(cards, edges.flat(), { width, height });
  for (const [at, line] of lines.entries()) line.setAttribute("d", paths.splice(0, edges[at].length).join(""));
  picture.toggleAttribute("data-led", true);
}

const idle = globalThis.requestIdleCallback ?? setTimeout;
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    idle(() => routeLines(target));
  }
});
for (const picture of document.querySelectorAll(".picture:has([data-edges])")) seen.observe(picture);

/** @param {number} number */
const rounded = (number) => Math.round(number * 10) / 10;
