// Marks parts with problems. Runs when the list of problems has changed; its count is swapped last.

/** @typedef {{severity: string, sentences: string[]}} Problem */

/** @param {import("../canvas/canvas.js").Canvas} canvas */
export function markProblems(canvas) {
  /** @type {Map<string, Problem>} */
  const problems = new Map();
  for (const issue of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#problems [data-where]"))) {
    const { where = "", others = "" } = issue.dataset;
    const sentence = issue.querySelector("button")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
    for (const id of [where, ...others.split(" ")]) {
      const problem = problems.get(id) ?? { severity: "warning", sentences: [] };
      if (issue.classList.contains("error")) problem.severity = "error";
      problem.sentences.push(sentence);
      problems.set(id, problem);
    }
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
