// The places of a pipeline one can go to by name: stages, frames, notes, agents and tools.

/** @typedef {import("./commands.js").Page} Page */
/** @typedef {import("./palette.js").Entry} Entry */

/** @param {Page} page @returns {Entry[]} */
export function placesOf(page) {
  const { canvas } = page;
  canvas.complete();
  const stages = canvas.stages.map(([id, { element }]) => {
    const agent = element.querySelector(".stage__agent")?.textContent ?? "";
    return placeOf(id, `${element.dataset.phase} · ${agent}`, "Stage", () => goTo(page, element.id), 1);
  });
  const drawn = (name, kind) =>
    [...canvas.element.querySelectorAll(name)].map((element) =>
      placeOf(element.id, firstWords(element), kind, () => goTo(page, element.id)),
    );
  return [
    ...stages,
    ...drawn(".frame", "Frame"),
    ...drawn(".note", "Note"),
    ...listed(page, "agent", "Agent"),
    ...listed(page, "tool", "Tool"),
  ];
}

/**
 * What can be done with each agent of the left panel: a stage of its own, or the one that is selected.
 * @param {Page} page
 * @returns {Entry[]}
 */
export function agentCommands({ canvas, view, selection }) {
  if (!canvas.editable) return [];
  const [id, ...more] = selection.subject;
  const phase = more.length ? "" : (canvas.cards.get(id)?.element.dataset.phase ?? "");
  const links = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#agents [data-select="agent"]'));
  return [...links].flatMap((link) => {
    const [agent, name] = [link.dataset.key ?? "", titleIn(link)];
    const add = async () =>
      (await import("../../editor/gestures/add-stage.js")).addFreely(canvas, view, { agent, beside: id });
    const serve = async () =>
      (await import("../../editor/gestures/drag-from-panel.js")).serve(canvas, id, { agent, name });
    const entries = [placeOf(`add:${agent}`, `Add a stage served by ${name}`, "Draw", add)];
    return phase ? [...entries, placeOf(`serve:${agent}`, `Let ${name} serve ${phase}`, "Draw", serve)] : entries;
  });
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} kind
 * @param {() => unknown} run
 * @param {number} [bonus]
 * @returns {Entry}
 */
const placeOf = (id, title, kind, run, bonus = 0) => ({ id, title, kind, keys: [], run, bonus });

/** What the left panel lists. @param {Page} page @param {string} kind @param {string} name */
function listed(page, kind, name) {
  const links = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`.left [data-select="${kind}"]`));
  return [...links].map((link) => {
    const { key = "" } = link.dataset;
    return placeOf(`${kind}:${key}`, titleIn(link), name, () => page.choose({ kind: /** @type {any} */ (kind), key }));
  });
}

/** The name that an entry of the left panel shows, without how often it serves. @param {Element} link */
const titleIn = (link) => (link.querySelector("span")?.firstChild ?? link).textContent?.trim() ?? "";

/** @param {Element} element */
function firstWords(element) {
  const label = (element.getAttribute("aria-label") || element.textContent || "").trim().replace(/\s+/g, " ");
  const text = label.replace(/^(Note|Frame):? /, ""); // what it is stands beside it
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Show something that is drawn, and give it the focus. @param {Page} page @param {string} id */
function goTo(page, id) {
  const { canvas, selection, view } = page;
  const element = canvas.elementOf(id) ?? document.getElementById(id);
  if (!element) return;
  if (canvas.elementOf(id)) selection?.pick(id);
  const { left, top } = element.getBoundingClientRect();
  view.measure();
  view.reveal(view.at({ clientX: left, clientY: top }));
  /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
}
