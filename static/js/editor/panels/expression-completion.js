// Completes expressions at the caret from the list beside their field.
import { attachCompletions } from "./completion-list.js";

const PATH = /[A-Za-z_][\w.]*$/;
const TEXTUAL = { text: "text", "text or null": "text", object: "object" };

attachCompletions({
  has: isExpression,
  listOf: (field) => /** @type {HTMLElement} */ (field.nextElementSibling),
  match(field, options, isRequested) {
    const before = field.value.slice(0, field.selectionStart);
    const path = PATH.exec(before)?.[0] ?? "";
    if (isInText(before) || (!path && !isRequested)) return null;
    const fits = fitting(path, options);
    const shown = options.filter((option) => fits(option.dataset));
    return { shown, typed: shown[0]?.dataset.of ? path.slice(path.lastIndexOf(".") + 1) : path };
  },
});

/** @param {EventTarget | null} target @returns {target is HTMLTextAreaElement} */
function isExpression(target) {
  return target instanceof HTMLTextAreaElement && !!target.closest(".expression");
}

/** Return a test for options that continue the typed text. @param {string} path @param {HTMLElement[]} options */
function fitting(path, options) {
  const dot = path.lastIndexOf(".");
  const [owner, rest] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
  const kinds = options
    .filter(({ dataset }) => !dataset.of && dataset.name === owner)
    .map(({ dataset }) => dataset.kind ?? "");
  const free = options.some(({ dataset }) => dataset.kind === "object" && owner.startsWith(`${dataset.name}.`));
  const methods = (of) => (free ? dot > 0 : kinds.some((kind) => TEXTUAL[kind] === of));
  return ({ name = "", of = "" }) =>
    of ? dot > 0 && methods(of) && name.startsWith(rest) : name.startsWith(path) && name !== path;
}

/** Report whether a quote is open. @param {string} before */
function isInText(before) {
  const rest = before.replace(/\\./g, "").replace(/'[^']*'|"[^"]*"/g, "");
  return /['"]/.test(rest);
}
