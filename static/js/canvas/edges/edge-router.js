// The ways of all edges, clear of the cards that they do not join: a function of the cards alone. Pure.
//
// An edge is a plain curve where that is clear. Where it is not, a detour is looked for; where there is none, or none
// at a
// sane cost, it stays plain. Then those that meet are kept apart.
import { Cells, around, boxOf, grown, meet, passes } from "../spatial-index.js";
import { HEIGHT, WIDTH, route } from "../geometry.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */
/** @typedef {{id: string, source: string, target: string}} Way */
/**
 * How an edge runs: its path, points along it, whether it is clear of all third cards; and by how much its ends are
 * moved
 * along the sides of the cards, for the plain curve that is drawn while it is dragged.
 * @typedef {{d: string, points: Point[], clear: boolean, out: number, into: number}} Routed
 */
/**
 * What an edge would be if it were alone: the points of a detour, or null for the plain curve. It depends on the cards
 * in
 * the region only.
 * @typedef {{path: Point[] | null, clear: boolean, region: Box}} Raw
 */

const CLEAR = 8; // pixels between a plain curve and a card
const REACH = 90; // how far at most the ends of edges, and lanes, are moved
const GAPS = { left: 13, right: 0, top: 20, bottom: 20 }; // between the ends of edges at one side

/** All ways at once. @param {[string, Box][]} cards @param {Way[]} ways @returns {Promise<Record<string, Routed>>} */
export async function routes(cards, ways) {
  const router = new Router();
  router.begin(new Map(cards), ways);
  while (!router.step()) if (router.needs) await equip();
  return Object.fromEntries(router.finish());
}

/**
 * What finds detours, once it is loaded: most drawings need none.
 * @type {typeof import("./edge-path.js") | undefined}
 */
let detours;

/** Load what finds detours. */
export const equip = async () => void (detours = await import("./edge-path.js"));

/** Knows the ways, and when cards have moved it finds only those anew that this touches. */
export class Router {
  constructor() {
    /** @type {Map<string, Box>} */
    this.cards = new Map();
    /** @type {Map<string, Raw & Way>} */
    this.raw = new Map();
    /** @type {Way[]} */
    this.ways = [];
    /** @type {Way[]} */
    this.waiting = [];
    /** @type {Cells<Box & {id: string}>} */
    this.cells = new Cells();
    this.needs = false;
    /** @type {Map<string, Box[]>} the cards that were elsewhere before, and where they were and are */
    this.moved = new Map();
    /**
     * @type {Map<string, {raw: Raw, out: number, into: number, lane: string, routed: Routed}>} what was drawn last, and
     * from what
     */
    this.drawn = new Map();
  }

  /**
   * Take in where the cards are now. Whether anything is otherwise than before.
   * @param {Map<string, Box>} cards
   * @param {Way[]} ways
   */
  begin(cards, ways) {
    const changed = changes(this.cards, cards);
    const boxes = [...changed.values()].flat();
    this.moved = changed;
    if (boxes.length) {
      this.cells = new Cells();
      for (const [id, { x, y, width, height }] of cards)
        this.cells.add({ id, x, y, width, height }, { x, y, width, height });
    }
    this.cards = cards;
    this.ways = ways.filter(({ source, target }) => cards.has(source) && cards.has(target));
    const known = this.raw;
    this.raw = new Map();
    this.waiting = [];
    for (const way of this.ways) {
      const raw = known.get(way.id);
      const same =
        raw &&
        raw.source === way.source &&
        raw.target === way.target &&
        !changed.has(way.source) &&
        !changed.has(way.target);
      if (same && !boxes.some((box) => meet(box, raw.region))) this.raw.set(way.id, raw);
      else this.waiting.push(way);
    }
    return boxes.length > 0 || this.waiting.length > 0 || known.size !== this.raw.size;
  }

  /** Find one more way. Whether all are found; no more is where one needs a detour and what finds it is not loaded. */
  step() {
    const way = this.waiting.at(-1);
    const raw = way && this.#find(way);
    this.needs = raw === null;
    if (!way || !raw) return !way;
    this.raw.set(way.id, { ...way, ...raw });
    return !(this.waiting.length -= 1);
  }

  /** The ways, once all are found: kept apart, with their paths. @returns {Map<string, Routed>} */
  finish() {
    const ends = new Ends(this);
    const paths = new Map(this.ways.flatMap(({ id }) => ends.path(id) ?? []));
    const lanes = paths.size && detours ? detours.inLanes(paths, this.cells) : paths;
    const before = this.drawn;
    this.drawn = new Map(
      this.ways.map((way) => [way.id, this.#drawn(way, ends.at(way.id), lanes.get(way.id), before.get(way.id))]),
    );
    return new Map(this.ways.map(({ id }) => [id, /** @type {any} */ (this.drawn.get(id)).routed]));
  }

  /** @param {Way} way @returns {Raw | null} */
  #find(way) {
    const [a, b] = this.#ends(way);
    const plain = sampled(route(a, b).curve);
    const region = grown(around(plain), REACH);
    const clear = this.#isClear(way, plain, CLEAR);
    if (clear || way.source === way.target) return { path: null, clear, region };
    if (!detours) return null;
    const { path, field } = detours.detourBetween(a, b, (box) => this.cells.within(box));
    return { path, clear: path !== null, region: grown(boxOf([region, field]), REACH) };
  }

  /** A way as it is drawn; drawn anew only where what it follows from is not what it was. */
  #drawn(way, { out, into }, points, before) {
    const raw = /** @type {Raw} */ (this.raw.get(way.id));
    const lane = points ? points.map(({ x, y }) => `${x},${y}`).join(" ") : "";
    if (before?.raw === raw && before.out === out && before.into === into && before.lane === lane) return before;
    return { raw, out, into, lane, routed: this.#draw(way, { out, into }, points) };
  }

  /**
   * A way in its lane if that is clear, else as if it were alone.
   * @param {Way} way
   * @param {{out: number, into: number}} ends
   * @param {Point[] | undefined} lane
   * @returns {Routed}
   */
  #draw(way, { out, into }, lane) {
    const [a, b] = this.#ends(way);
    const { path, clear } = /** @type {Raw} */ (this.raw.get(way.id));
    for (const line of path && detours ? detours.rounded([lane ?? path, path]) : []) {
      if (this.#isClear(way, line.points, CLEAR - 2, true)) return { ...line, clear: true, out, into };
    }
    const moved = route(a, b, { out, into });
    const points = sampled(moved.curve);
    if (!(out || into) || !clear || path || this.#isClear(way, points, CLEAR / 2))
      return { d: moved.d, points, clear: clear && !path, out, into };
    const plain = route(a, b);
    return { d: plain.d, points: sampled(plain.curve), clear: true, out: 0, into: 0 };
  }

  /** @param {Way} way @returns {[Box, Box]} */
  #ends({ source, target }) {
    return [/** @type {Box} */ (this.cards.get(source)), /** @type {Box} */ (this.cards.get(target))];
  }

  /**
   * Whether a line keeps clear of the cards that it does not join; with `own`, of those two as well.
   * @param {Way} way
   * @param {Point[]} points
   * @param {number} margin
   */
  #isClear({ source, target }, points, margin, own = false) {
    for (const card of this.cells.within(grown(around(points), margin))) {
      const joined = card.id === source || card.id === target;
      if (joined && !own) continue;
      const box = grown(card, joined ? 0 : margin);
      for (let at = 1; at < points.length; at += 1) if (passes(points[at - 1], points[at], box)) return false;
    }
    return true;
  }
}

/** Where the edges end at each side of each card: apart from one another. */
class Ends {
  /** @param {Router} router */
  constructor(router) {
    this.router = router;
    /** @type {Map<string, {out: number, into: number}>} */
    this.shifts = new Map();
    /** @type {Map<string, {way: string, end: "out" | "into", side: string, at: number, from: number}[]>} */
    const sides = new Map();
    for (const way of router.ways) {
      this.shifts.set(way.id, { out: 0, into: 0 });
      if (way.source === way.target) continue;
      const [a, b] = /** @type {Box[]} */ ([router.cards.get(way.source), router.cards.get(way.target)]);
      const path = router.raw.get(way.id)?.path;
      const curve = path ? [] : route(a, b).curve;
      const [first, last] = path
        ? [path[0], path[path.length - 1]]
        : [
            { x: curve[0], y: curve[1] },
            { x: curve[6], y: curve[7] },
          ];
      const [after, before] = path ? [path[2] ?? path[1], path.at(-3) ?? path[0]] : [last, first];
      for (const [end, id, card, point, from] of /** @type {const} */ ([
        ["out", way.source, a, first, after],
        ["into", way.target, b, last, before],
      ])) {
        const side = sideOf(card, point);
        const key = `${side} ${id}`;
        const along = side === "left" || side === "right" ? "y" : "x";
        if (!sides.has(key)) sides.set(key, []);
        const arches = along === "x" && side === sideOf(end === "out" ? b : a, end === "out" ? last : first);
        sides
          .get(key)
          ?.push({ way: way.id, end, side, at: point[along], from: arches ? arched(point.x, from.x) : from[along] });
      }
    }
    for (const ends of sides.values()) this.#spread(ends);
  }

  /** How far the ends of an edge are moved. @param {string} id */
  at(id) {
    return this.shifts.get(id) ?? { out: 0, into: 0 };
  }

  /**
   * The detour of an edge with its ends moved, if it takes one, by its id.
   * @param {string} id
   * @returns {[string, Point[]][] | undefined}
   */
  path(id) {
    const points = this.router.raw.get(id)?.path?.map((point) => ({ ...point }));
    if (!points) return;
    const { out, into } = this.at(id);
    if (points.length > 2) {
      shift(points[0], points[1], out);
      shift(points[points.length - 1], points[points.length - 2], into);
    }
    return [[id, points]];
  }

  /** @param {{way: string, end: "out" | "into", side: string, at: number, from: number}[]} ends at one side */
  #spread(ends) {
    const gap =
      GAPS[ends[0].side] &&
      Math.min(GAPS[ends[0].side], (ends[0].side === "left" ? HEIGHT - 36 : WIDTH - 60) / ends.length);
    if (ends.length < 2 || !gap) return;
    ends.sort((a, b) => a.at - b.at || a.from - b.from || (a.way < b.way ? -1 : 1));
    // What is near one another stands around its middle.
    /** @type {{ends: typeof ends, middle: number}[]} */
    const crowds = [];
    for (const end of ends) {
      let crowd = { ends: [end], middle: end.at };
      for (let before; (before = crowds.at(-1));) {
        if (crowd.middle - before.middle >= ((crowd.ends.length + before.ends.length) * gap) / 2) break;
        crowds.pop();
        const all = [...before.ends, ...crowd.ends];
        crowd = { ends: all, middle: all.reduce((sum, { at }) => sum + at, 0) / all.length };
      }
      crowds.push(crowd);
    }
    for (const { ends, middle } of crowds) {
      ends.forEach(({ way, end, at }, place) => {
        this.at(way)[end] = middle + (place - (ends.length - 1) / 2) * gap - at;
      });
    }
  }
}

/**
 * Where among others an arch ends at `x` that comes from another `x`: the wider lies around the narrower.
 * @param {number} x
 * @param {number} from
 */
const arched = (x, from) => x + 1e6 / (from - x || 1);

/**
 * Move the end of a path along the side of its card, and with it the line that leads there.
 * @param {Point} end
 * @param {Point} next
 * @param {number} by
 */
function shift(end, next, by) {
  const along = end.x === next.x ? "x" : "y";
  end[along] += by;
  next[along] += by;
}

/**
 * Where cards were and are that are not where they were.
 * @param {Map<string, Box>} before
 * @param {Map<string, Box>} now
 */
function changes(before, now) {
  /** @type {Map<string, Box[]>} */
  const changed = new Map();
  for (const [id, box] of now) {
    const old = before.get(id);
    if (old && old.x === box.x && old.y === box.y && old.width === box.width && old.height === box.height) continue;
    changed.set(id, old ? [old, box] : [box]);
  }
  for (const [id, box] of before) if (!now.has(id)) changed.set(id, [box]);
  return changed;
}

/** The side of a card on which a point lies. @param {Box} card @param {Point} point */
function sideOf({ x, y, height }, point) {
  const is = (one, other) => Math.abs(one - other) < 0.1; // paths are rounded
  if (is(point.y, y)) return "top";
  if (is(point.y, y + height)) return "bottom";
  return is(point.x, x) ? "left" : "right";
}

/** Points along a curve, as close as it is long. @param {number[]} curve @returns {Point[]} */
export function sampled([x0, y0, x1, y1, x2, y2, x3, y3]) {
  const length = Math.hypot(x1 - x0, y1 - y0) + Math.hypot(x2 - x1, y2 - y1) + Math.hypot(x3 - x2, y3 - y2);
  const count = Math.max(10, Math.min(64, Math.ceil(length / 40)));
  return Array.from({ length: count + 1 }, (_, step) => {
    const t = step / count;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    return { x: a * x0 + b * x1 + c * x2 + d * x3, y: a * y0 + b * y1 + c * y2 + d * y3 };
  });
}
