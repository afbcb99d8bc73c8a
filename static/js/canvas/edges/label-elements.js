// Elements of edge labels, in a layer above all lines. Each is created when it becomes visible: a thousand labels would
// cost
// more than the edges.
export { Places } from "./edge-labels.js";

const SVG = "http://www.w3.org/2000/svg";

/** The estimated width of a label: measuring the text would delay drawing. @param {string} text */
const widthOf = (text) => Math.round(text.length * 5.9 + 18);

/** The label of one edge. */
export class Label {
  /** @param {Element} layer @param {SVGGElement} edge */
  constructor(layer, edge) {
    this.group = layer.appendChild(make("g", { class: "label", "data-edge": edge.id }));
    this.rect = this.group.appendChild(make("rect", { y: "-10", height: "20", rx: "10" }));
    this.text = this.group.appendChild(make("text", { y: "4", "text-anchor": "middle" }));
    this.width = 0;
    /** @type {import("../geometry.js").Point | undefined} */
    this.place = undefined;
  }

  /** @param {string} words @param {boolean} lit whether its edge is highlighted */
  setText(words, lit) {
    this.group.classList.toggle("label--lit", lit);
    if (this.text.textContent === words) return;
    this.text.textContent = words;
    this.width = widthOf(words);
    this.rect.setAttribute("width", String(this.width));
    this.rect.setAttribute("x", String(-this.width / 2));
  }

  /** Place the label. @param {import("../geometry.js").Point} middle */
  moveTo(middle) {
    this.place = middle;
    this.show(middle);
  }

  /** Draw the label at a temporary place. @param {import("../geometry.js").Point} middle */
  show({ x, y }) {
    this.group.setAttribute("transform", `translate(${x},${y})`);
  }
}

/** @param {string} name @param {Record<string, string>} attributes */
function make(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
