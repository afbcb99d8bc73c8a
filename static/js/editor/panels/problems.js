// The list of problems: it marks the parts with problems. Equal problems form a group that opens, with one button that
// fixes all of them, and the list can be limited to errors or warnings. Buttons that fix a problem wait for each other,
// so that every click counts.
import { load } from "../../core/offline.js";
import { submit } from "../submit-gesture.js";

/** @typedef {{severity: string, sentences: string[]}} Problem */

const MIN_GROUP = 3; // equal problems

/** Codes of the open groups. @type {Set<string>} */
const open = new Set();

/** Shown severity; "" for all. */
let severity = "";

/**
 * Mark the parts with problems, and group the problems. Runs when the list has changed.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 */
export function showProblems(canvas) {
  markProblems(canvas);
  groupProblems();
}

/**
 * Mark the parts with problems. Runs also when parts are drawn again.
 * @param {import("../../canvas/canvas.js").Canvas} canvas
 */
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

/** Group equal problems again. */
function groupProblems() {
  const list = document.getElementById("problems");
  if (!list) return;
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : "";
  for (const element of list.querySelectorAll(":scope > :is(.issue-group, .issue-filter)")) element.remove();
  const issues = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(":scope > .issue")]);
  for (const group of runsOf(issues, (issue) => `${issue.dataset.code} ${issue.classList.contains("error")}`)) {
    const [first] = group;
    const isGroup = group.length >= MIN_GROUP;
    if (isGroup) first.before(headerOf(group));
    for (const issue of group) issue.hidden = isGroup && !open.has(first.dataset.code ?? "");
  }
  const counts = { error: 0, warning: 0 };
  for (const issue of issues) counts[issue.classList.contains("error") ? "error" : "warning"]++;
  if (!counts.error || !counts.warning) severity = "";
  else list.prepend(filterOf(counts));
  list.dataset.severity = severity;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * Split a list into runs of neighbours with the same key.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @returns {T[][]}
 */
function runsOf(items, keyOf) {
  /** @type {T[][]} */
  const runs = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last && keyOf(last[0]) === keyOf(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** @param {HTMLElement[]} group */
function headerOf(group) {
  const [{ dataset, classList }] = group;
  const { code = "", group: title = "" } = dataset;
  const header = document.createElement("li");
  header.className = `issue-group ${classList.contains("error") ? "error" : "warning"}`;
  const toggle = button(`${group.length} × ${title}`, `group-${code}`);
  toggle.setAttribute("aria-expanded", String(open.has(code)));
  toggle.addEventListener("click", () => {
    if (!open.delete(code)) open.add(code);
    groupProblems();
  });
  header.append(toggle);
  if (group.every((issue) => "fixAll" in issue.dataset)) header.append(fixAllButton(code, group.length));
  return header;
}

/** @param {string} code @param {number} count */
function fixAllButton(code, count) {
  const fix = button(`Fix all ${count}`, `fix-all-${code}`);
  fix.className = "button button--small";
  fix.addEventListener("click", () => once(fix, () => submit("fix-all", { code })));
  return fix;
}

/** @param {{error: number, warning: number}} counts */
function filterOf(counts) {
  const [filter, choiceGroup] = [document.createElement("li"), document.createElement("div")];
  filter.className = "issue-filter";
  choiceGroup.className = "buttons";
  choiceGroup.role = "group";
  choiceGroup.setAttribute("aria-label", "Severity");
  filter.append(choiceGroup);
  const choices = { "": "All", error: `Errors ${counts.error}`, warning: `Warnings ${counts.warning}` };
  for (const [value, text] of Object.entries(choices)) {
    const choice = button(text, `show-${value || "all"}-problems`);
    choice.className = "button button--small";
    choice.setAttribute("aria-pressed", String(severity === value));
    choice.addEventListener("click", () => {
      severity = value;
      groupProblems();
    });
    choiceGroup.append(choice);
  }
  return filter;
}

/** @param {string} textContent @param {string} id */
const button = (textContent, id) =>
  Object.assign(document.createElement("button"), { type: "button", textContent, id });

document.addEventListener("click", async ({ target }) => {
  // The button also selects the part.
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(".issue > [data-field]"));
  const { select = "", key = "", field = "" } = button?.dataset ?? {};
  if (field) (await load(import("./focus-new.js"))).focusField({ kind: select, key }, field);
});

document.addEventListener("click", (event) => {
  const fix = /** @type {HTMLButtonElement | null} */ (
    /** @type {Element} */ (event.target).closest('[form="gesture-fix"]')
  );
  if (!fix) return;
  event.preventDefault();
  once(fix, () => submit("fix-problem", { issue: fix.value }));
});

/**
 * Run an action unless it is still running for this button.
 * @param {HTMLElement} fix
 * @param {() => Promise<boolean>} act
 */
async function once(fix, act) {
  if (fix.getAttribute("aria-disabled")) return;
  fix.setAttribute("aria-disabled", "true");
  await act();
  fix.removeAttribute("aria-disabled");
}
