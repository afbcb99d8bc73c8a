// Geometry of the canvas. Pure functions over plain numbers, in the pixels of the canvas.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/**
 * A curve: its path, and its two ends with their handles between them.
 * @typedef {{d: string, curve: number[]}} Route
 */

export const WIDTH = 216;
export const HEIGHT = 96;
export const GRID = 8;

// Smallest distance of two cards with a straight edge between them.
const CLEAR = 20;
// Distance of neighbouring cards, with room for an edge and its label.
export const ASIDE = WIDTH + 80;

/**
 * Return the plain curve from the card at `a` to the card at `b`. A forward edge leaves by the right port and arrives
 * on the left. Between cards that lie rather above than beside each other it runs up or down or, if they are too close
 * for that, from side to side. A backward edge arches over both cards or, if its target lies lower, under them. Two
 * edges in opposite directions never coincide.
 * @param {Point} a
 * @param {Point} b
 * @param {{out?: number, into?: number}} [ends] shifts of its ends along the sides of the cards
 * @returns {Route}
 */
export function route(a, b, { out = 0, into = 0 } = {}) {
  if (a.x === b.x && a.y === b.y) return loop(a);
  if (b.x - (a.x + WIDTH) >= CLEAR) return forward(a, b, into);
  const [across, down] = [Math.abs(b.x - a.x) - WIDTH, Math.abs(b.y - a.y) - HEIGHT];
  if (down >= CLEAR && down > across) return column(a, b, out, into);
  if (across < 0 && down > -HEIGHT / 2) return sideways(a, b, out, into);
  return backward(a, b, out, into);
}

/** From the right port to the left port. @param {Point} a @param {Point} b @param {number} into @returns {Route} */
function forward(a, b, into) {
  const [x1, y1, x2, y2] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x, b.y + HEIGHT / 2 + into];
  const bend = Math.max(40, (x2 - x1) / 2);
  return curve(x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2);
}

/**
 * Between a higher and a lower card.
 * @param {Point} a
 * @param {Point} b
 * @param {number} out
 * @param {number} into
 * @returns {Route}
 */
function column(a, b, out, into) {
  const down = b.y > a.y;
  // An edge in the opposite direction uses the other side.
  const aside = WIDTH / 2 + (down ? -32 : 32);
  const [x1, x2] = [a.x + aside + out, b.x + aside + into];
  const [y1, y2] = down ? [a.y + HEIGHT, b.y] : [a.y, b.y + HEIGHT];
  const bend = (y2 - y1) / 2;
  return curve(x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2);
}

/**
 * Between the left sides of two cards down, between their right sides up.
 * @param {Point} a
 * @param {Point} b
 * @param {number} out
 * @param {number} into
 * @returns {Route}
 */
function sideways(a, b, out, into) {
  const down = b.y > a.y;
  const bend = 48 + Math.abs(b.x - a.x) * 0.3;
  const [x1, x2] = down ? [a.x, b.x] : [a.x + WIDTH, b.x + WIDTH];
  const reach = down ? Math.min(x1, x2) - bend : Math.max(x1, x2) + bend;
  // An edge in the opposite direction leaves a card at its port, and arrives below it.
  const [y1, y2] = [a.y + HEIGHT / (down ? 1.5 : 2) + out, b.y + HEIGHT / (down ? 2 : 1.5) + into];
  return curve(x1, y1, reach, y1, reach, y2, x2, y2);
}

/**
 * Over the cards, or under them.
 * @param {Point} a
 * @param {Point} b
 * @param {number} out
 * @param {number} into
 * @returns {Route}
 */
function backward(a, b, out, into) {
  const [dx, dy] = [Math.abs(b.x - a.x), b.y - a.y];
  const under = dy > HEIGHT / 2;
  const rise = Math.min(48 + Math.abs(dy) * 0.2 + dx * 0.08, 200) * (under ? 1 : -1);
  const [y1, y2] = under ? [a.y + HEIGHT, b.y + HEIGHT] : [a.y, b.y];
  const aside = Math.min(50, dx / 4);
  const [x1, x2] = [a.x + WIDTH / 2 + out, b.x + WIDTH / 2 + (b.x < a.x ? aside : -aside) + into];
  return curve(x1, y1, x1, y1 + rise, x2, y2 + rise, x2, y2);
}

/** Back to the same card, over its upper right corner. @param {Point} a @returns {Route} */
function loop(a) {
  const [x, y] = [a.x + WIDTH, a.y + HEIGHT / 2];
  return curve(x, y, x + 70, y - 10, x - 10, a.y - 70, x - 40, a.y);
}

/** @param {number[]} curve @returns {Route} */
export function curve(...curve) {
  const [x1, y1, c1x, c1y, c2x, c2y, x2, y2] = curve.map(round);
  return { d: `M${x1},${y1}C${c1x},${c1y} ${c2x},${c2y} ${x2},${y2}`, curve };
}

/** The middle of a curve. @param {number[]} curve @returns {Point} */
export const middleOf = ([x0, y0, x1, y1, x2, y2, x3, y3]) => ({
  x: (x0 + 3 * x1 + 3 * x2 + x3) / 8,
  y: (y0 + 3 * y1 + 3 * y2 + y3) / 8,
});

/**
 * The box around cards and boxes, or null if there are none.
 * @param {Iterable<Point | Box>} cards
 * @returns {Box | null}
 */
export function bounds(cards) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width = WIDTH, height = HEIGHT } of cards) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return left === Infinity ? null : { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Return the part of a window between the panels, relative to the window. A panel that covers most of the width is a
 * bar or a sheet: it takes height, any other takes width.
 * @param {Box} window
 * @param {Box[]} panels
 * @returns {Box}
 */
export function freeArea(window, panels) {
  let [left, right, bottom] = [0, window.width, window.height];
  for (const { x, y, width, height } of panels) {
    const [from, above] = [x - window.x, y - window.y];
    const to = from + width;
    if (!width || !height || to <= 0 || from >= window.width) continue;
    if (width > window.width / 2 || above > window.height / 2) bottom = Math.min(bottom, above);
    else if (from + to < window.width) left = Math.max(left, to);
    else right = Math.min(right, from);
  }
  const [width, height] = [Math.max(right - left, window.width / 4), Math.max(bottom, window.height / 4)];
  return { x: left, y: 0, width, height };
}

/** Report whether a card touches a box. @param {Point | Box} card @param {Box} box */
export const touches = ({ x, y, width = WIDTH, height = HEIGHT }, box) =>
  x < box.x + box.width && x + width > box.x && y < box.y + box.height && y + height > box.y;

/** Report whether a point lies on a card, or within `margin` of it. @param {Point | Box} card @param {Point} point */
export const holds = ({ x, y, width = WIDTH, height = HEIGHT }, point, margin = 0) =>
  point.x >= x - margin && point.x <= x + width + margin && point.y >= y - margin && point.y <= y + height + margin;

/** @param {number} number */
const round = (number) => Math.round(number * 10) / 10;
