// Places of edge labels: on their lines or beside them, clear of cards, of other lines and of each other. Pure
// functions.
import { Cells, grown, passes } from "../spatial-index.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */
/**
 * The width of a label and the line of its edge.
 * @typedef {{id: string, width: number, points: Point[]}} LabelRequest
 */
/**
 * The middle of a label, and whether the label is clear of cards and labels.
 * @typedef {Point & {isClear: boolean}} LabelPlace
 */
/** A piece of a line. @typedef {{id: string, from: Point, to: Point}} Piece */

const TALL = 22;
const AIR = 3; // pixels around a label
const SEEN = 44; // visible length of a line beside a label on it
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
const BESIDE = [7, -7, 20, -20, 36, -36, 54, -54]; // pixels between a line and a label; the last ones clear its cards
const [ON_CARD, ON_LABEL, ASTRAY, ON_LINE, HIDES] = [1000, 600, 400, 120, 60]; // costs of a place

/**
 * The middles of all labels.
 * @param {LabelRequest[]} plates
 * @param {[string, Point[]][]} lines of all edges
 * @param {[string, Box][]} cards
 * @param {number} [factor]
 * @returns {Record<string, LabelPlace>}
 */
export function placeLabels(labels, lines, cards, factor = 1) {
  const boxes = new Cells();
  for (const [, card] of cards) boxes.add(card, card);
  const places = new Places(boxes, factor);
  for (const [id, points] of lines) places.draw(id, points);
  return Object.fromEntries(labels.map((label) => [label.id, places.put(label)]));
}

/** Finds places for labels among cards, lines and other labels. */
export class Places {
  /**
   * @param {Cells<Box>} cards
   * @param {number} [factor] by which labels are enlarged at a small scale: zoom-levels.css
   */
  constructor(cards, factor = 1) {
    this.cards = cards;
    this.factor = factor;
    /** @type {Cells<Piece>} */
    this.pieces = new Cells(128);
    /** @type {Cells<Box & {id: string}>} */
    this.labels = new Cells(128);
  }

  /** Add a line. @param {string} id of its edge @param {Point[]} points */
  draw(id, points) {
    for (let at = 1; at < points.length; at += 1) {
      const [from, to] = [points[at - 1], points[at]];
      const box = {
        x: Math.min(from.x, to.x),
        y: Math.min(from.y, to.y),
        width: Math.abs(to.x - from.x),
        height: Math.abs(to.y - from.y),
      };
      this.pieces.add({ id, from, to }, box);
    }
  }

  /** Find the place of a label, and reserve it if it is clear. @param {LabelRequest} label @returns {LabelPlace} */
  put(label) {
    const place = this.find(label);
    if (place.isClear) this.reserve(label.id, this.#boxAt(place, label.width));
    return place;
  }

  /** Keep labels off a box. @param {string} id of its edge or card @param {Box} box */
  reserve(id, box) {
    this.labels.add({ id, ...box }, box);
  }

  /** @param {Point} middle @param {number} width @returns {Box} */
  #boxAt({ x, y }, width) {
    const [wide, tall] = [width * this.factor, TALL * this.factor];
    return { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall };
  }

  /**
   * The cheapest place for a label: the middle of its line if that is free.
   * @param {LabelRequest} label
   * @returns {LabelPlace}
   */
  find({ id, width, points }) {
    const measured = lengths(points);
    const total = measured[measured.length - 1];
    let [best, least] = [points[0], Infinity];
    const size = [width * this.factor, TALL * this.factor];
    for (const [place, cost, gap] of candidates(points, measured, total, size)) {
      if (cost >= least) continue;
      const whole = cost + this.#cost(id, this.#boxAt(place, width), gap, least - cost);
      if (whole < least) [best, least] = [place, whole];
      if (whole === 0) break;
    }
    const box = grown(this.#boxAt(best, width), AIR - 1);
    const isClear = !this.cards.within(box).length && !this.labels.within(box).some((label) => label.id !== id);
    return { x: Math.round(best.x), y: Math.round(best.y), isClear };
  }

  /**
   * The cost of a place for a label, 0 if it is free.
   * @param {string} id
   * @param {Box} box
   * @param {number} gap to its own line; no other line may be as near
   * @param {number} most
   */
  #cost(id, box, gap, most) {
    let cost = this.cards.within(grown(box, AIR)).length * ON_CARD;
    if (cost < most) cost += this.labels.within(grown(box, AIR)).filter((label) => label.id !== id).length * ON_LABEL;
    if (cost >= most) return cost;
    const crossing = new Set(
      this.pieces
        .within(box)
        .filter((piece) => piece.id !== id && passes(piece.from, piece.to, grown(box, 1)))
        .map((piece) => piece.id),
    );
    cost += crossing.size * ON_LINE;
    if (!gap || cost >= most) return cost;
    const around = grown(box, gap);
    return this.pieces.within(around).some((piece) => piece.id !== id && passes(piece.from, piece.to, around))
      ? cost + ASTRAY
      : cost;
  }
}

/**
 * The possible places along a line and beside it, with their costs and their distances from the line.
 * @param {Point[]} points
 * @param {number[]} measured
 * @param {number} total
 * @param {number[]} size of the label
 * @returns {Generator<[Point, number, number]>}
 */
function* candidates(points, measured, total, [width, tall]) {
  for (const along of ALONG) {
    const { x, y, dx, dy } = pointAt(points, measured, total * along);
    const hidden = Math.abs(dx) * width + Math.abs(dy) * tall;
    yield [{ x, y }, Math.abs(along - 0.5) * 40 + (total - hidden < SEEN ? HIDES : 0), 0];
  }
  for (const along of ALONG) {
    const { x, y, dx, dy } = pointAt(points, measured, total * along);
    // The distance of a label beside a line depends on the direction of the line.
    const reach = Math.abs(dy) * (width / 2) + Math.abs(dx) * (tall / 2);
    for (const by of BESIDE) {
      const off = by + Math.sign(by) * reach;
      const cost = 25 + Math.abs(along - 0.5) * 40 + Math.abs(by) * 0.5;
      yield [{ x: x + dy * off, y: y - dx * off }, cost, Math.abs(by)];
    }
  }
}

/** The distance of each point along the line. @param {Point[]} points */
function lengths(points) {
  let total = 0;
  return points.map(({ x, y }, at) => (total += at ? Math.hypot(x - points[at - 1].x, y - points[at - 1].y) : 0));
}

/**
 * The point at a distance along a line, and the direction of the line there.
 * @param {Point[]} points
 * @param {number[]} measured
 * @param {number} length
 */
function pointAt(points, measured, length) {
  let at = 1;
  while (at < points.length - 1 && measured[at] < length) at += 1;
  const [p, q] = [points[at - 1], points[at]];
  const piece = measured[at] - measured[at - 1] || 1;
  const [dx, dy] = [(q.x - p.x) / piece, (q.y - p.y) / piece];
  const by = length - measured[at - 1];
  return { x: p.x + dx * by, y: p.y + dy * by, dx, dy };
}
