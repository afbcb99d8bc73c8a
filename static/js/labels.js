// Labels of edges: made when they are to be read, for a thousand of them would cost more than the edges.
import { labelWidth } from "./geometry.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Write an edge's label: how often it was followed or, before that, its own words. That a `next` leads on is plain to
 * see; what else an edge is its mark says always.
 * @param {SVGGElement} element
 * @param {boolean} [asked] whether the edge is looked at
 */
export function label(element, asked = false) {
  const { traversed = "", by = "handoff", label: own, mark } = element.dataset;
  const words = traversed ? `${traversed} ${by}${traversed === "1" ? "" : "s"}` : asked ? own : mark;
  const group = element.querySelector(".label");
  if (!words) return group?.remove();
  const [rect, text] = group?.children ?? newLabel(element).children;
  const shown = words.length > 28 ? `${words.slice(0, 27)}…` : words;
  if (text.textContent === shown) return;
  text.textContent = shown;
  rect.setAttribute("width", String(labelWidth(shown)));
  rect.setAttribute("x", String(-labelWidth(shown) / 2));
}

/**
 * A `return` that leads onward reads as another branch, for that is what it is.
 * @param {SVGGElement} element
 * @param {boolean} onward whether its target lies beyond its source
 */
export function name(element, onward) {
  const { dataset } = element;
  const [was, said] = onward ? ["return", "branch"] : ["branch", "return"];
  if (dataset.mark !== was) return;
  dataset.label = dataset.mark = said;
  label(element);
}

/** @param {SVGGElement} element */
function newLabel(element) {
  const make = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    return made;
  };
  const group = element.appendChild(make("g", { class: "label" }));
  group.append(make("rect", { y: "-10", height: "20", rx: "10" }), make("text", { y: "4", "text-anchor": "middle" }));
  return group;
}
