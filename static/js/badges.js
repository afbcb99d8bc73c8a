// Marks what has a problem: folds over the list of problems after each swap.

/** @typedef {{severity: string, sentences: string[]}} Problem */

/** @param {import("./canvas.js").Canvas} canvas */
export function markProblems(canvas) {
  /** @type {Map<string, Problem>} */
  const problems = new Map();
  for (const issue of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#problems [data-where]"))) {
    const problem = problems.get(issue.dataset.where ?? "") ?? { severity: "warning", sentences: [] };
    if (issue.classList.contains("error")) problem.severity = "error";
    problem.sentences.push((issue.querySelector("button") ?? issue).textContent?.replace(/\s+/g, " ").trim() ?? "");
    problems.set(issue.dataset.where ?? "", problem);
  }
  for (const marked of canvas.element.querySelectorAll("[data-problem]")) {
    if (!problems.has(marked.id)) mark(marked);
  }
  for (const [id, problem] of problems) mark(canvas.elementOf(id), problem);
}

/** @param {Element | undefined} element @param {Problem} [problem] */
function mark(element, problem) {
  const said = { "data-problem": problem?.severity, title: problem?.sentences.join("\n") };
  for (const [name, words] of Object.entries(said)) {
    if (words) element?.setAttribute(name, words);
    else element?.removeAttribute(name);
  }
}
