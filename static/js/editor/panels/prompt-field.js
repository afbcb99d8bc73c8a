// The field of an agent's instructions: completes names after their trigger (`@` for stages and tools), counts tokens,
// and grows to the full width of the window.
import { attachCompletions } from "./completion-list.js";

const CHARACTERS_PER_TOKEN = 4; // as in orchestration/tokens.py

const offer = attachCompletions({
  has: isPrompt,
  listOf: (field) => /** @type {HTMLElement} */ (field.parentElement?.querySelector(".completions")),
  match(field, options) {
    const before = field.value.slice(0, field.selectionStart);
    for (const trigger of new Set(options.map(({ dataset }) => dataset.trigger ?? ""))) {
      const typed = typedAfter(trigger, before);
      if (typed === null) continue;
      const shown = options.filter(
        ({ dataset }) => dataset.trigger === trigger && isMatch(typed.slice(trigger.length), dataset.name ?? ""),
      );
      if (shown.length) return { shown, typed };
    }
    return null;
  },
});

/**
 * The trigger before the caret with the name typed so far; null if there is none. A trigger within a word, as in an
 * address, is text.
 * @param {string} trigger
 * @param {string} before the caret
 * @returns {string | null}
 */
export function typedAfter(trigger, before) {
  const at = before.lastIndexOf(trigger);
  if (at < 0 || /[\p{L}\p{N}_]$/u.test(before.slice(0, at))) return null;
  const typed = before.slice(at);
  return /^[\w.-]*$/.test(typed.slice(trigger.length)) ? typed : null;
}

/** Report whether a name, or a word of it, begins with the typed text. @param {string} typed @param {string} name */
export function isMatch(typed, name) {
  const [start, lower] = [typed.toLowerCase(), name.toLowerCase()];
  return lower.startsWith(start) || lower.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(start));
}

/** @param {EventTarget | null} target @returns {target is HTMLTextAreaElement} */
function isPrompt(target) {
  return target instanceof HTMLTextAreaElement && !!target.closest(".prompt");
}

/** @param {EventTarget | null} field */
function showTokens(field) {
  if (!isPrompt(field)) return;
  const tokens = Math.floor([...field.value].length / CHARACTERS_PER_TOKEN);
  const count = field.closest(".prompt")?.querySelector(".prompt__tokens");
  if (count) count.textContent = `${tokens.toLocaleString("en")} tokens`;
}
document.addEventListener("input", ({ target }) => showTokens(target));
document.querySelectorAll(".prompt textarea").forEach(showTokens); // restored before this module was loaded

// The names arrive after the field got the focus: what is already typed is completed then.
document.body.addEventListener("htmx:afterSwap", ({ target }) => {
  const field = document.activeElement;
  if (isPrompt(field) && field.parentElement?.contains(/** @type {Node} */ (target))) offer(field, false);
});

const BUTTON = ".prompt [data-prompt]";

// The focus stays in the field, which would be saved when it is left.
document.addEventListener("pointerdown", (event) => {
  if (/** @type {Element} */ (event.target).closest(BUTTON) && isPrompt(document.activeElement)) event.preventDefault();
});

document.addEventListener("click", ({ target }) => {
  const button = /** @type {Element} */ (target).closest(BUTTON);
  const prompt = /** @type {HTMLElement | null} */ (button?.closest(".prompt"));
  const field = prompt?.querySelector("textarea");
  if (!button || !prompt || !field) return;
  field.focus(); // before it expands: the browser gives the focus back to it at the end
  if (/** @type {HTMLElement} */ (button).dataset.prompt === "expand") expand(prompt, !isExpanded(prompt));
  else insertTrigger(field);
});

// A field that is rendered again, with another person's changes, stays expanded.
document.body.addEventListener("htmx:oobBeforeSwap", ({ detail: { target } }) => {
  if (!target.matches(".prompt:popover-open")) return;
  const expandAgain = () => {
    const prompt = document.getElementById(target.id);
    if (!prompt || isExpanded(prompt)) return;
    expand(prompt, true);
    prompt.querySelector("textarea")?.focus();
  };
  document.body.addEventListener("htmx:oobAfterSwap", expandAgain, { once: true });
});

/** Type the trigger at the caret, after a space if necessary. @param {HTMLTextAreaElement} field */
function insertTrigger(field) {
  const before = field.value.slice(0, field.selectionStart);
  const text = /[\p{L}\p{N}_@]$/u.test(before) ? " @" : "@";
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {HTMLElement} prompt */
const isExpanded = (prompt) => prompt.matches(":popover-open");

/**
 * Show the field at the full width of the window, above everything, or in its form again. It stays in its form, so
 * that it is saved as usual.
 * @param {HTMLElement} prompt
 * @param {boolean} isWide
 */
function expand(prompt, isWide) {
  if (isWide) {
    prompt.popover = "auto";
    prompt.showPopover();
    prompt.addEventListener("toggle", ({ newState }) => newState === "closed" && expand(prompt, false), { once: true });
  } else {
    if (isExpanded(prompt)) prompt.hidePopover();
    prompt.removeAttribute("popover");
  }
  const button = prompt.querySelector("[data-prompt=expand]");
  button?.setAttribute("aria-expanded", String(isWide));
}

// Escape returns from the full width; in the form it leaves the field.
document.addEventListener(
  "keydown",
  (event) => {
    const prompt = /** @type {HTMLElement | null} */ (document.querySelector(".prompt:popover-open"));
    if (event.key !== "Escape" || event.defaultPrevented || !prompt) return;
    event.preventDefault();
    event.stopPropagation();
    expand(prompt, false);
    prompt.querySelector("textarea")?.focus();
  },
  true,
);
