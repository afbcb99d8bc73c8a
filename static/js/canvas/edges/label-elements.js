// Elements of edge labels, in a layer above all lines. Each is created when it becomes visible: a thousand labels would
// cost
// more than the edges.
export { Places } from "./edge-labels.js";
export { otherLabels } from "./other-labels.js";

const SVG = "http://www.w3.org/2000/svg";

/** The estimated width of a label: measuring the text would delay drawing. @param {string} text */
const widthOf = (text) => Math.round(text.length * 6.9 + 18);

/** The label of one edge. */
export class Label {
  /** @param {Element} layer @param {SVGGElement} edge */
  constructor(layer, edge) {
    this.group = layer.appendChild(make("g", { class: "label", "data-edge": edge.id }));
    this.rect = this.group.appendChild(make("rect", { y: "-11", height: "22", rx: "11" }));
    this.text = this.group.appendChild(make("text", { y: "4.5", "text-anchor": "middle" }));
    this.width = 0;
    /** @type {import("./edge-labels.js").LabelPlace | undefined} */
    this.place = undefined;
  }

  /**
   * @param {string} words
   * @param {boolean} lit whether its edge is highlighted
   * @param {boolean} shown whether it is shown at every scale
   */
  setText(words, lit, shown) {
    this.group.classList.toggle("label--lit", lit);
    this.group.classList.toggle("label--shown", shown);
    if (this.text.textContent === words) return;
    this.text.textContent = words;
    this.width = widthOf(words);
    this.rect.setAttribute("width", String(this.width));
    this.rect.setAttribute("x", String(-this.width / 2));
  }

  /**
   * Place the label. It is hidden where it would cover a card or another label.
   * @param {import("./edge-labels.js").LabelPlace} middle
   */
  moveTo(middle) {
    this.place = middle;
    this.group.classList.toggle("label--hidden", !middle.isClear);
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
