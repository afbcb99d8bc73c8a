// Folds the lights that events bring over the canvas: who has the conversation, which way it went.

const list = document.getElementById("lights");
if (list) {
  for (const light of list.children) show(/** @type {HTMLElement} */ (light), false);
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.addedNodes) {
        if (node instanceof HTMLElement) show(node, true);
      }
    }
  }).observe(list, { childList: true });
}

/**
 * @param {HTMLElement} light
 * @param {boolean} isNew
 */
function show(light, isNew) {
  const { active, seen, traversed, by, refused, refusedStage, begins, ends, member } = light.dataset;
  if (active) activate(active);
  if (begins) work(begins, member, true);
  if (ends) work(ends, member, false);
  if (seen) document.getElementById(seen)?.setAttribute("data-seen", "");
  if (traversed) traverse(document.getElementById(traversed), by);
  if (refused && isNew) flash(refused, refusedStage);
}

/** @param {string} id */
function activate(id) {
  for (const stage of document.querySelectorAll(".stage[data-live]")) {
    if (stage.id === id) continue;
    stage.removeAttribute("data-live");
    stage.setAttribute("data-seen", "");
  }
  document.getElementById(id)?.setAttribute("data-live", "");
}

/**
 * A subtask begins or ends: a stage that was delegated to is at work, or a member of a group.
 * @param {string} stageId
 * @param {string | undefined} member
 * @param {boolean} begins
 */
function work(stageId, member, begins) {
  const stage = document.getElementById(stageId);
  const worker = member ? stage?.querySelector(`[data-member="${CSS.escape(member)}"]`) : stage;
  if (!worker) return;
  worker.toggleAttribute("data-working", begins);
  if (!begins) worker.setAttribute("data-seen", "");
}

/**
 * The canvas writes beside the edge how often it was followed, and by what.
 * @param {HTMLElement | null} edge
 * @param {string} [by]
 */
function traverse(edge, by = "handoff") {
  if (!edge) return;
  edge.dataset.by = by;
  edge.dataset.traversed = String(Number(edge.dataset.traversed ?? 0) + 1);
}

/**
 * @param {string} edgeId
 * @param {string | undefined} stageId
 */
function flash(edgeId, stageId) {
  const element = document.getElementById(edgeId) ?? (stageId && document.getElementById(stageId));
  if (!element) return;
  element.setAttribute("data-refused", "");
  element.addEventListener("animationend", () => element.removeAttribute("data-refused"), { once: true });
}
