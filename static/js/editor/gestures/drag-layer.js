// Draws the edges of moving cards on a <canvas> element over the drawing. As SVG, they would make the browser examine
// all
// cards and edges in each frame.
import { readable } from "../../canvas/edges/readable-labels.js";
import { HEIGHT, WIDTH, bounds, middleOf, touches } from "../../canvas/geometry.js";

/** @typedef {import("../../canvas/canvas.js").Edge} Edge */
/**
 * The style of a line.
 * @typedef {{colour: string, wide: number, dash: number[], cap: CanvasLineCap, head: Head | null}} Look
 */
/**
 * The head of an arrow: its shape, its point at the end of the line, and its size.
 * @typedef {{shape: Path2D, colour: string, x: number, y: number, size: number}} Head
 */
/**
 * The text and style of a label.
 * @typedef {{words: string, wide: number, size: number, font: string, ink: string, plate: string, rim: string}} Words
 */

const LEGIBLE = 40; // more moving labels would not be readable
const AIR = 3; // pixels around a label
const FEW = 12; // largest number of cards with layers of their own

/**
 * Move the edges of cards to the drag layer, until the returned function is called.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 * @param {import("../../canvas/view.js").View} view
 * @param {string[]} ids of the cards
 */
export function showDragLayer(canvas, view, ids) {
  const sheet = document.createElement("canvas");
  sheet.className = "drag-layer";
  canvas.element.append(sheet);
  const pixels = devicePixelRatio || 1;
  Object.assign(sheet, {
    width: Math.round(sheet.clientWidth * pixels),
    height: Math.round(sheet.clientHeight * pixels),
  });
  const pen = /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d"));
  /** @type {Map<Edge, {look: Look, words: Words | null}>} */
  const dragged = new Map();

  let { far } = canvas.element.dataset;

  const begin = () => {
    const edges = [...canvas.edgesAt(ids)];
    for (const id of edges) {
      const edge = /** @type {Edge} */ (canvas.edges.get(id));
      dragged.set(edge, {
        look: lookOf(/** @type {Element} */ (edge.lines.at(-1))),
        words: wordsOf(canvas.edgeDrawing?.labels.get(id)),
      });
    }
    for (const id of edges) mark(canvas, id, true);
    canvas.draw(edges);
  };
  const end = () => {
    for (const { element } of dragged.keys()) mark(canvas, element.id, false);
    canvas.draw([...dragged.keys()].map(({ element }) => element.id));
    dragged.clear();
  };
  const draw = () => {
    pen.resetTransform();
    pen.clearRect(0, 0, sheet.width, sheet.height);
    pen.setTransform(view.scale * pixels, 0, 0, view.scale * pixels, view.x * pixels, view.y * pixels);
    for (const [{ drawn, curve }, { look }] of dragged) line(pen, drawn ?? "", curve ?? [], look);
    // Lines run behind cards and labels. Only moving labels that overlap neither are drawn.
    const reach = bounds([...dragged.keys()].map(({ curve }) => around(curve ?? [])));
    if (!reach) return;
    const cards = [...canvas.cards.values()].filter((card) => card.width === undefined && touches(card, reach));
    for (const { x, y } of cards) pen.clearRect(x, y, WIDTH, HEIGHT);
    const standing = (canvas.edgeDrawing?.places?.labels.within(reach) ?? []).filter(
      ({ id }) => !canvas.edges.get(id)?.dragged,
    );
    for (const { id } of standing) {
      const { place, width = 0 } = canvas.edgeDrawing?.labels.get(id) ?? {};
      if (place && !far) pen.clearRect(place.x - width / 2, place.y - 11, width, 22);
    }
    const said = [...dragged].flatMap(([{ curve }, { words }]) =>
      words && curve ? { at: middleOf(curve), words } : [],
    );
    if (said.length > LEGIBLE) return;
    const labels = said.map((one) => ({ ...one, box: boxOf(one.at, one.words) }));
    for (const { at, words } of readable(labels, [...cards, ...standing])) label(pen, at, words);
  };

  // A card in a layer of its own moves without examining the rest. An animation creates such a layer, even one without
  // effect;
  // with `will-change`, Chromium 156 still examines everything.
  const held =
    ids.length > FEW
      ? []
      : ids.map((id) =>
          canvas.cards.get(id)?.element.animate({ transform: ["none", "none"] }, { duration: 1, composite: "add" }),
        );
  for (const animation of held) animation?.pause();

  const anew = () => {
    end();
    begin();
  };
  const watch = new MutationObserver(() => {
    if (far === canvas.element.dataset.far) return draw();
    ({ far } = canvas.element.dataset); // lines have another style at this scale
    anew();
  });
  watch.observe(canvas.viewport, { attributeFilter: ["style"] });
  canvas.element.addEventListener("baton:drawn", anew);
  canvas.drawLifted = draw;
  begin();

  return () => {
    watch.disconnect();
    canvas.element.removeEventListener("baton:drawn", anew);
    for (const animation of held) animation?.cancel();
    canvas.drawLifted = () => {};
    end();
    sheet.remove();
  };
}

/** @param {import("../../canvas/canvas.js").Canvas} canvas @param {string} id of an edge @param {boolean} isDragged */
function mark(canvas, id, isDragged) {
  const edge = canvas.edges.get(id);
  if (!edge) return;
  edge.dragged = isDragged;
  for (const element of [edge.element, canvas.edgeDrawing?.labels.get(id)?.group])
    element?.toggleAttribute("data-dragged", isDragged);
}

/** The style of a line at rest. @param {Element} line @returns {Look} */
function lookOf(line) {
  const { stroke, strokeWidth, strokeDasharray, strokeLinecap, markerEnd } = getComputedStyle(line);
  const marker = document.getElementById(/#([\w-]+)/.exec(markerEnd)?.[1] ?? "");
  const dash = (strokeDasharray.match(/[\d.]+/g) ?? []).map(Number);
  return {
    colour: stroke,
    wide: parseFloat(strokeWidth),
    dash,
    cap: /** @type {CanvasLineCap} */ (strokeLinecap),
    head: marker && headOf(/** @type {any} */ (marker)),
  };
}

/** @param {SVGMarkerElement} marker @returns {Head} */
function headOf(marker) {
  const shape = /** @type {Element} */ (marker.firstElementChild);
  return {
    shape: new Path2D(shape.getAttribute("d") ?? ""),
    colour: getComputedStyle(shape).fill,
    x: marker.refX.baseVal.value,
    y: marker.refY.baseVal.value,
    size: marker.markerWidth.baseVal.value / marker.viewBox.baseVal.width,
  };
}

/**
 * The text and style of a visible label.
 * @param {import("../../canvas/edges/label-elements.js").Label | undefined} label
 * @returns {Words | null}
 */
function wordsOf(label) {
  if (!label?.rect.checkVisibility()) return null;
  const [rect, text] = [label.rect, label.text].map((element) => getComputedStyle(element));
  const size = rect.transform === "none" ? 1 : new DOMMatrix(rect.transform).a;
  const font = `${text.fontWeight} ${text.fontSize} ${text.fontFamily}`;
  return {
    words: label.text.textContent ?? "",
    wide: label.width,
    size,
    font,
    ink: text.fill,
    plate: rect.fill,
    rim: rect.stroke,
  };
}

/** The box around a curve, with room for a label. @param {number[]} curve */
function around(curve) {
  const [xs, ys] = [0, 1].map((odd) => curve.filter((_, at) => at % 2 === odd));
  const [x, y] = [Math.min(...xs) - 60, Math.min(...ys) - 20];
  return { x, y, width: Math.max(...xs) + 60 - x, height: Math.max(...ys) + 20 - y };
}

/** @param {import("../../canvas/geometry.js").Point} at @param {Words} words */
function boxOf({ x, y }, { wide, size }) {
  const [width, height] = [wide * size + 2 * AIR, 22 * size + 2 * AIR];
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** @param {CanvasRenderingContext2D} pen @param {string} d @param {number[]} curve @param {Look} look */
function line(pen, d, curve, { colour, wide, dash, cap, head }) {
  Object.assign(pen, { strokeStyle: colour, lineWidth: wide, lineCap: cap });
  pen.setLineDash(dash);
  pen.stroke(new Path2D(d));
  if (!head) return;
  const [c1x, c1y, c2x, c2y, x, y] = curve.slice(-6);
  const [fromX, fromY] = c2x === x && c2y === y ? [c1x, c1y] : [c2x, c2y];
  pen.save();
  pen.translate(x, y);
  pen.rotate(Math.atan2(y - fromY, x - fromX));
  pen.scale(head.size, head.size);
  pen.translate(-head.x, -head.y);
  pen.fillStyle = head.colour;
  pen.fill(head.shape);
  pen.restore();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {import("../../canvas/geometry.js").Point} middle
 * @param {Words} words
 */
function label(pen, { x, y }, { words, wide, size, font, ink, plate, rim }) {
  pen.save();
  pen.translate(x, y);
  pen.scale(size, size);
  Object.assign(pen, { fillStyle: plate, strokeStyle: rim, lineWidth: 1, font, textAlign: "center" });
  pen.setLineDash([]);
  pen.beginPath();
  pen.roundRect(-wide / 2, -11, wide, 22, 11);
  pen.fill();
  pen.stroke();
  pen.fillStyle = ink;
  pen.fillText(words, 0, 4.5);
  pen.restore();
}
