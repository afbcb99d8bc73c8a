// Marks the course of a conversation on the canvas, from the marks of its events.
// designer/rehearsal/trace/canvas_highlight.py computes the same on the server.

/**
 * The marks of one event, by attribute; `count` repeats them.
 * @typedef {Record<string, string | undefined>} EventMarks
 */
/**
 * @typedef {object} Marks
 * @property {string} active the stage with the conversation
 * @property {Set<string>} seen earlier stages
 * @property {Map<string, {count: number, by: string}>} traversed number of moves along edges, and their cause
 * @property {Map<string, string>} beside the ends of moves without a transition
 * @property {Map<string, number>} taken number of takeovers by a human, by stage
 * @property {Map<string, number>} refused number of rejections, by edge or, without one, by stage
 * @property {Map<string, boolean>} working stages and members that work or have worked
 * @property {string} paused the place of a pause
 * @property {boolean} human whether a human has the conversation
 * @property {boolean} approval whether the pause waits for a human's approval
 */

/** A canvas without marks. @returns {Marks} */
export const noMarks = () => ({
  active: "",
  seen: new Set(),
  traversed: new Map(),
  beside: new Map(),
  taken: new Map(),
  refused: new Map(),
  working: new Map(),
  paused: "",
  human: false,
  approval: false,
});

/** Add the marks of one event. @param {Marks} marks @param {EventMarks} light */
export function addMarks(marks, light) {
  const { active, seen, traversed, by = "handoff", beside, taken, refused, begins, ends, member = "", paused } = light;
  const count = Number(light.count ?? 1);
  if (light.anew) Object.assign(marks, noMarks());
  if (active) {
    if (marks.active && marks.active !== active) {
      marks.seen.add(marks.active);
      if (marks.paused && !marks.approval) marks.paused = active; // handed over during the pause
    }
    marks.active = active;
  }
  if (seen) marks.seen.add(seen);
  if (begins) marks.working.set(`${begins} ${member}`, true);
  if (ends) marks.working.set(`${ends} ${member}`, false);
  if (traversed) marks.traversed.set(traversed, { count: (marks.traversed.get(traversed)?.count ?? 0) + count, by });
  if (traversed && beside) marks.beside.set(traversed, beside);
  if (taken) marks.taken.set(taken, (marks.taken.get(taken) ?? 0) + count);
  if (refused) {
    const place = rejectedPart(light);
    if (place) marks.refused.set(place, (marks.refused.get(place) ?? 0) + count);
  }
  if (light.over) for (const one of marks.working.keys()) marks.working.set(one, false);
  if (light.resumed || light.over || paused) {
    marks.paused = paused ?? "";
    marks.approval = Boolean(light.approval);
  }
  if (light.human) marks.human = light.human === "yes";
}

/**
 * The id of the element that shows a rejection: the edge or, without one, the stage at its end.
 * @param {EventMarks} light
 */
export function rejectedPart({ refused = "", ...light }) {
  const stage = light.refusedStage ?? light["refused-stage"] ?? "";
  return document.getElementById(refused) ? refused : stage;
}

/** The text of an edge's label: `paused, 2 handoffs, 1 refused`. @param {Record<string, string>} attributes */
function tally({ "data-paused": paused, "data-traversed": count, "data-by": by, "data-refusals": refusals }) {
  return [
    paused !== undefined && "paused",
    count && `${count} ${by}${count === "1" ? "" : "s"}`,
    refusals && `${refusals} refused`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** The present attributes of marked elements. @type {Map<Element, Record<string, string>>} */
let shown = new Map();

/** Show marks on the canvas. @param {Marks} marks */
export function showMarks(marks) {
  /** @type {Map<Element, Record<string, string>>} */
  const wanted = new Map();
  /** @param {string | Element | null | undefined} where @param {Record<string, string>} attributes */
  const mark = (where, attributes) => {
    const element = typeof where === "string" ? document.getElementById(where) : where;
    if (element) wanted.set(element, { ...wanted.get(element), ...attributes });
  };
  for (const id of marks.seen) if (id !== marks.active) mark(id, { "data-seen": "" });
  const taken = humanPlace(marks);
  if (taken && taken.dataset.kind !== "human") mark(taken, { "data-with-human": "" });
  else mark(marks.active, { "data-live": "" });
  drawMissing(marks);
  for (const [place, count] of marks.taken) mark(place, { "data-taken": String(count) });
  for (const [place, { count, by }] of marks.traversed) mark(place, { "data-by": by, "data-traversed": String(count) });
  for (const [place, count] of marks.refused) mark(place, { "data-refusals": String(count) });
  for (const [place, isAtWork] of marks.working) {
    const [stageId, member] = place.split(" ");
    const stage = document.getElementById(stageId);
    mark(member ? stage?.querySelector(`[data-member="${CSS.escape(member)}"]`) : stage, {
      [isAtWork ? "data-working" : "data-seen"]: "",
    });
  }
  mark(marks.paused, { "data-paused": "" });
  for (const [element, attributes] of wanted) {
    const words = element.matches(".edge") && tally(attributes);
    if (words) attributes["data-tally"] = words;
  }
  for (const [element, attributes] of shown) {
    for (const name of Object.keys(attributes))
      if (!(name in (wanted.get(element) ?? {}))) element.removeAttribute(name);
  }
  for (const [element, attributes] of wanted) {
    for (const [name, value] of Object.entries(attributes))
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  shown = wanted;
  placeHuman(document.querySelector(".stage[data-with-human]"), marks.approval);
}

/** The stage in which a human has the conversation. @param {Marks} marks @returns {HTMLElement | null} */
function humanPlace({ human, approval, active, paused }) {
  if (!human && !approval) return null;
  const stage = approval && document.getElementById(paused);
  return stage && stage.matches(".stage") ? stage : document.getElementById(active);
}

/**
 * Put the human's marker, which has the ring, at the stage of an agent; a human's stage is its own marker.
 * @param {Element | null} stage
 * @param {boolean} isApproval
 */
function placeHuman(stage, isApproval) {
  let marker = document.getElementById("human-marker");
  if (!stage) return marker?.remove();
  const label = isApproval ? "A human decides about a call" : "A human has the conversation";
  if (!marker) {
    marker = Object.assign(document.createElement("span"), { id: "human-marker", className: "human-marker" });
    marker.dataset.live = "";
    marker.append(Object.assign(document.createElement("span"), { textContent: "Human" }));
    marker.setAttribute("role", "img");
  }
  marker.title = label;
  marker.setAttribute("aria-label", label);
  if (marker.parentElement !== stage) stage.append(marker);
}

const SVG = "http://www.w3.org/2000/svg";

/** Draw moves without a transition, and remove the lines of others. @param {Marks} marks */
function drawMissing({ beside }) {
  const layer = document.getElementById("edges");
  for (const edge of layer?.querySelectorAll(".edge.beside") ?? []) if (!beside.has(edge.id)) edge.remove();
  for (const [id, ends] of beside) {
    if (document.getElementById(id)) continue;
    const [source, target] = ends.split(" ");
    const edge = document.createElementNS(SVG, "g");
    const title = `From ${source} to ${target}, where no transition leads`;
    const attributes = {
      id,
      class: "edge beside",
      "data-source": source,
      "data-target": target,
      "data-kind": "beside",
      role: "img",
      "aria-label": title,
    };
    for (const [name, value] of Object.entries(attributes)) edge.setAttribute(name, value);
    const line = edge.appendChild(document.createElementNS(SVG, "path"));
    line.setAttribute("class", "line");
    layer?.append(edge);
  }
}
