// Routes of all edges, clear of the cards that they do not join. They depend on the cards alone. Pure functions.
//
// An edge is a plain curve if that is clear. Otherwise a path around the cards is searched; without one at a reasonable
// cost, the edge stays a curve. Then paths that meet are separated.
import { load } from "../../core/offline.js";
import { Cells, around, boxOf, grown, meet, passes } from "../spatial-index.js";
import { HEIGHT, WIDTH, route } from "../geometry.js";

/** @typedef {import("../geometry.js").Point} Point */
/** @typedef {import("../geometry.js").Box} Box */
/** @typedef {{id: string, source: string, target: string}} EdgeEnds */
/**
 * The route of an edge: its path, points along it, whether it is clear of other cards; and the shifts of its ends along
 * the sides of the cards, for the plain curve that is drawn during a drag.
 * @typedef {{d: string, points: Point[], clear: boolean, out: number, into: number}} Routed
 */
/**
 * The route of an edge without regard to other edges: the points of a path, or null for the plain curve. It depends on
 * the cards in the region only.
 * @typedef {{path: Point[] | null, clear: boolean, region: Box}} Raw
 */

const CLEAR = 8; // pixels between a plain curve and a card
const REACH = 90; // largest shift of ends and lanes
const GAPS = { left: 13, right: 0, top: 20, bottom: 20 }; // between the ends of edges at one side

/**
 * Route all edges at once.
 * @param {[string, Box][]} cards
 * @param {EdgeEnds[]} edges
 * @returns {Promise<Record<string, Routed>>}
 */
export async function routes(cards, edges) {
  const router = new Router();
  router.begin(new Map(cards), edges);
  while (!router.step()) if (router.needs) await loadPathFinder();
  return Object.fromEntries(router.finish());
}

/**
 * The module that finds paths around cards; most drawings do not need it.
 * @type {typeof import("./path-search.js") | undefined}
 */
let detours;

/** Load the module that finds paths around cards. */
export const loadPathFinder = async () => void (detours = await load(import("./path-search.js")));

/** Keeps the routes, and after a move finds only those again that it affects. */
export class Router {
  constructor() {
    /** @type {Map<string, Box>} */
    this.cards = new Map();
    /** @type {Map<string, Raw & EdgeEnds>} */
    this.raw = new Map();
    /** @type {EdgeEnds[]} */
    this.edges = [];
    /** @type {EdgeEnds[]} */
    this.waiting = [];
    /** @type {Cells<Box & {id: string}>} */
    this.cells = new Cells();
    this.needs = false;
    /** @type {Map<string, Box[]>} moved cards, with their former and present boxes */
    this.moved = new Map();
    /**
     * @type {Map<string, {raw: Raw, out: number, into: number, lane: string, routed: Routed}>} the last routes, with
     * their inputs
     */
    this.drawn = new Map();
  }

  /** Begin with the present places of the cards. @param {Map<string, Box>} cards @param {EdgeEnds[]} edges */
  begin(cards, edges) {
    const changed = changes(this.cards, cards);
    const boxes = [...changed.values()].flat();
    this.moved = changed;
    if (boxes.length) {
      this.cells = new Cells();
      for (const [id, { x, y, width, height }] of cards)
        this.cells.add({ id, x, y, width, height }, { x, y, width, height });
    }
    this.cards = cards;
    this.edges = edges.filter(({ source, target }) => cards.has(source) && cards.has(target));
    const known = this.raw;
    this.raw = new Map();
    this.waiting = [];
    for (const edge of this.edges) {
      const raw = known.get(edge.id);
      const same =
        raw &&
        raw.source === edge.source &&
        raw.target === edge.target &&
        !changed.has(edge.source) &&
        !changed.has(edge.target);
      if (same && !boxes.some((box) => meet(box, raw.region))) this.raw.set(edge.id, raw);
      else this.waiting.push(edge);
    }
    return boxes.length > 0 || this.waiting.length > 0 || known.size !== this.raw.size;
  }

  /** Find the next route. */
  step() {
    const edge = this.waiting.at(-1);
    const raw = edge && this.#find(edge);
    this.needs = raw === null;
    if (!edge || !raw) return !edge;
    this.raw.set(edge.id, { ...edge, ...raw });
    return !(this.waiting.length -= 1);
  }

  /** Finish the routes: separate them, and draw their paths. @returns {Map<string, Routed>} */
  finish() {
    const ends = new Ends(this);
    const paths = new Map(this.edges.flatMap(({ id }) => ends.path(id) ?? []));
    const lanes = paths.size && detours ? detours.inLanes(paths, this.cells) : paths;
    const before = this.drawn;
    this.drawn = new Map(
      this.edges.map((edge) => [edge.id, this.#drawn(edge, ends.at(edge.id), lanes.get(edge.id), before.get(edge.id))]),
    );
    return new Map(this.edges.map(({ id }) => [id, /** @type {any} */ (this.drawn.get(id)).routed]));
  }

  /** @param {EdgeEnds} edge @returns {Raw | null} */
  #find(edge) {
    const [a, b] = this.#ends(edge);
    const plain = sampled(route(a, b).curve);
    const region = grown(around(plain), REACH);
    const clear = this.#isClear(edge, plain, CLEAR);
    if (clear || edge.source === edge.target) return { path: null, clear, region };
    if (!detours) return null;
    const { path, field } = detours.detourBetween(a, b, (box) => this.cells.within(box));
    return { path, clear: path !== null, region: grown(boxOf([region, field]), REACH) };
  }

  /** The finished route of an edge, computed again only if its inputs have changed. */
  #drawn(edge, { out, into }, points, before) {
    const raw = /** @type {Raw} */ (this.raw.get(edge.id));
    const lane = points ? points.map(({ x, y }) => `${x},${y}`).join(" ") : "";
    if (before?.raw === raw && before.out === out && before.into === into && before.lane === lane) return before;
    return { raw, out, into, lane, routed: this.#draw(edge, { out, into }, points) };
  }

  /**
   * The route of an edge in its lane if that is clear, otherwise as if it were alone.
   * @param {EdgeEnds} edge
   * @param {{out: number, into: number}} ends
   * @param {Point[] | undefined} lane
   * @returns {Routed}
   */
  #draw(edge, { out, into }, lane) {
    const [a, b] = this.#ends(edge);
    const { path, clear } = /** @type {Raw} */ (this.raw.get(edge.id));
    for (const line of path && detours ? detours.rounded([lane ?? path, path]) : []) {
      if (this.#isClear(edge, line.points, CLEAR - 2, true)) return { ...line, clear: true, out, into };
    }
    const moved = route(a, b, { out, into });
    const points = sampled(moved.curve);
    if (!(out || into) || !clear || path || this.#isClear(edge, points, CLEAR / 2))
      return { d: moved.d, points, clear: clear && !path, out, into };
    const plain = route(a, b);
    return { d: plain.d, points: sampled(plain.curve), clear: true, out: 0, into: 0 };
  }

  /** @param {EdgeEnds} edge @returns {[Box, Box]} */
  #ends({ source, target }) {
    return [/** @type {Box} */ (this.cards.get(source)), /** @type {Box} */ (this.cards.get(target))];
  }

  /**
   * Report whether a line is clear of the cards that it does not join; with `own`, of those two as well.
   * @param {EdgeEnds} edge
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

/** Distributes the ends of edges along the sides of the cards. */
class Ends {
  /** @param {Router} router */
  constructor(router) {
    this.router = router;
    /** @type {Map<string, {out: number, into: number}>} */
    this.shifts = new Map();
    /** @type {Map<string, {edge: string, end: "out" | "into", side: string, at: number, from: number}[]>} */
    const sides = new Map();
    for (const edge of router.edges) {
      this.shifts.set(edge.id, { out: 0, into: 0 });
      if (edge.source === edge.target) continue;
      const [a, b] = /** @type {Box[]} */ ([router.cards.get(edge.source), router.cards.get(edge.target)]);
      const path = router.raw.get(edge.id)?.path;
      const curve = path ? [] : route(a, b).curve;
      const [first, last] = path
        ? [path[0], path[path.length - 1]]
        : [
            { x: curve[0], y: curve[1] },
            { x: curve[6], y: curve[7] },
          ];
      const [after, before] = path ? [path[2] ?? path[1], path.at(-3) ?? path[0]] : [last, first];
      for (const [end, id, card, point, from] of /** @type {const} */ ([
        ["out", edge.source, a, first, after],
        ["into", edge.target, b, last, before],
      ])) {
        const side = sideOf(card, point);
        const key = `${side} ${id}`;
        const along = side === "left" || side === "right" ? "y" : "x";
        if (!sides.has(key)) sides.set(key, []);
        const arches = along === "x" && side === sideOf(end === "out" ? b : a, end === "out" ? last : first);
        sides
          .get(key)
          ?.push({ edge: edge.id, end, side, at: point[along], from: arches ? arched(point.x, from.x) : from[along] });
      }
    }
    for (const ends of sides.values()) this.#spread(ends);
  }

  /** The shifts of the ends of an edge. @param {string} id */
  at(id) {
    return this.shifts.get(id) ?? { out: 0, into: 0 };
  }

  /**
   * The path of an edge with its ends shifted, with the id of the edge; undefined for a plain curve.
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

  /** @param {{edge: string, end: "out" | "into", side: string, at: number, from: number}[]} ends at one side */
  #spread(ends) {
    const gap =
      GAPS[ends[0].side] &&
      Math.min(GAPS[ends[0].side], (ends[0].side === "left" ? HEIGHT - 36 : WIDTH - 60) / ends.length);
    if (ends.length < 2 || !gap) return;
    ends.sort((a, b) => a.at - b.at || a.from - b.from || (a.edge < b.edge ? -1 : 1));
    // Ends near each other are arranged around their middle.
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
      ends.forEach(({ edge, end, at }, place) => {
        this.at(edge)[end] = middle + (place - (ends.length - 1) / 2) * gap - at;
      });
    }
  }
}

/**
 * The rank of an arch that ends at `x` and comes from another `x`: wider arches lie outside narrower ones.
 * @param {number} x
 * @param {number} from
 */
const arched = (x, from) => x + 1e6 / (from - x || 1);

/**
 * Shift the end of a path along the side of its card, together with the adjacent line.
 * @param {Point} end
 * @param {Point} next
 * @param {number} by
 */
function shift(end, next, by) {
  const along = end.x === next.x ? "x" : "y";
  end[along] += by;
  next[along] += by;
}

/** The former and present boxes of changed cards. @param {Map<string, Box>} before @param {Map<string, Box>} now */
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

/** Points along a curve, more of them on a longer curve. @param {number[]} curve @returns {Point[]} */
export function sampled([x0, y0, x1, y1, x2, y2, x3, y3]) {
  const length = Math.hypot(x1 - x0, y1 - y0) + Math.hypot(x2 - x1, y2 - y1) + Math.hypot(x3 - x2, y3 - y2);
  const count = Math.max(10, Math.min(64, Math.ceil(length / 40)));
  return Array.from({ length: count + 1 }, (_, step) => {
    const t = step / count;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    return { x: a * x0 + b * x1 + c * x2 + d * x3, y: a * y0 + b * y1 + c * y2 + d * y3 };
  });
}
