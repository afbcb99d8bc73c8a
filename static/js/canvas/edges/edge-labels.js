// Places of edge labels: on their lines or beside them, clear of cards, of other lines and of each other. Pure
// functions.
import { Cells, grown, passes } from "../spatial-index.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */
/**
 * The width of a label and the line of its edge.
 * @typedef {{id: string, width: number, points: Point[]}} LabelRequest
 */
/** A piece of a line. @typedef {{id: string, from: Point, to: Point}} Piece */

const TALL = 20;
const FAR = 1.25; // factor by which labels are enlarged at a small scale (distance.css)
const AIR = 3; // pixels around a label
const SEEN = 44; // visible length of a line beside a label on it
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
const BESIDE = [17, -17, 30, -30, 46, -46, 64, -64]; // the last ones clear the cards at both ends of a short line
const [ON_CARD, ON_LABEL, ASTRAY, ON_LINE, HIDES] = [1000, 600, 400, 120, 60]; // costs of a place

/**
 * The middles of all labels.
 * @param {LabelRequest[]} plates
 * @param {[string, Point[]][]} lines of all edges
 * @param {[string, Box][]} cards
 * @returns {Record<string, Point>}
 */
export function placeLabels(labels, lines, cards) {
  const boxes = new Cells();
  for (const [, card] of cards) boxes.add(card, card);
  const places = new Places(boxes);
  for (const [id, points] of lines) places.draw(id, points);
  return Object.fromEntries(labels.map((label) => [label.id, places.put(label)]));
}

/** Finds places for labels among cards, lines and other labels. */
export class Places {
  /** @param {Cells<Box>} cards */
  constructor(cards) {
    this.cards = cards;
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

  /** Find the place of a label, and reserve it. @param {LabelRequest} label @returns {Point} */
  put(label) {
    const place = this.find(label);
    const box = { id: label.id, ...boxAt(place, label.width) };
    this.labels.add(box, box);
    return place;
  }

  /**
   * The cheapest place for a label: the middle of its line if that is free.
   * @param {LabelRequest} label
   * @returns {Point}
   */
  find({ id, width, points }) {
    const measured = lengths(points);
    const total = measured[measured.length - 1];
    let [best, least] = [points[0], Infinity];
    for (const [place, cost, gap] of candidates(points, measured, total, width)) {
      if (cost >= least) continue;
      const whole = cost + this.#cost(id, boxAt(place, width), gap, least - cost);
      if (whole < least) [best, least] = [place, whole];
      if (whole === 0) break;
    }
    return { x: Math.round(best.x), y: Math.round(best.y) };
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
 * @param {number} width
 * @returns {Generator<[Point, number, number]>}
 */
function* candidates(points, measured, total, width) {
  for (const along of ALONG) {
    const { x, y, dx, dy } = pointAt(points, measured, total * along);
    const hidden = (Math.abs(dx) * width + Math.abs(dy) * TALL) * FAR;
    yield [{ x, y }, Math.abs(along - 0.5) * 40 + (total - hidden < SEEN ? HIDES : 0), 0];
  }
  for (const along of ALONG) {
    const { x, y, dx, dy } = pointAt(points, measured, total * along);
    // The distance of a label beside a line depends on the direction of the line.
    const reach = Math.abs(dy) * (width / 2) + Math.abs(dx) * (TALL / 2) - TALL / 2;
    for (const by of BESIDE) {
      const off = by + Math.sign(by) * reach;
      yield [
        { x: x + dy * off, y: y - dx * off },
        20 + Math.abs(along - 0.5) * 40 + Math.abs(by) * 0.5,
        Math.abs(by) - TALL / 2,
      ];
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

/** @param {Point} middle @param {number} width @returns {Box} */
const boxAt = ({ x, y }, width) => ({
  x: x - (width * FAR) / 2,
  y: y - (TALL * FAR) / 2,
  width: width * FAR,
  height: TALL * FAR,
});
