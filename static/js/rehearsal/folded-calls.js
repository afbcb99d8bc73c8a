// Folds repeated calls of one tool in the chat: "lookup_order ×24".

const LEAST = 3; // calls in a row
const CALL = "tool-call";

/** @param {Element | null} element */
const isCall = (element) => Boolean(element?.matches(`.${CALL}:not(.task, .tool-call--asks)`));

/** The tool of a call, or of folded calls. @param {Element | null} element */
const toolOf = (element) => element?.querySelector(":scope > summary > b")?.textContent ?? "";

/** The elements before an element that can be folded with it, in order. @param {Element} call */
function before(call) {
  const row = [];
  for (let other = call.previousElementSibling; other; other = other.previousElementSibling) {
    if (other.matches(".turn[data-silent]")) continue;
    if (!(isCall(other) || other.matches(".repeats")) || toolOf(other) !== toolOf(call)) break;
    row.unshift(other);
    if (other.matches(".repeats")) break;
  }
  return row;
}

/** Fold the calls up to a call, if there are enough. @param {Element} call */
function fold(call) {
  const earlier = before(call);
  if (earlier[0]?.matches(".repeats")) {
    earlier[0].append(...earlier.slice(1), call);
    return;
  }
  if (earlier.length + 1 < LEAST) return;
  const repeats = document.createElement("details");
  repeats.className = "repeats";
  const summary = document.createElement("summary");
  const name = Object.assign(document.createElement("b"), { textContent: toolOf(call) });
  summary.append(name, " ", Object.assign(document.createElement("span"), { className: "repeats__count" }));
  earlier[0].before(repeats);
  repeats.append(summary, ...earlier, call);
}

/** Show the numbers of folded calls. @param {Element} log */
function count(log) {
  for (const repeats of log.querySelectorAll(".repeats")) {
    const calls = repeats.querySelectorAll(`:scope > .${CALL}`).length;
    const failed = repeats.querySelectorAll(".tool-call__time--error").length;
    const text = failed ? `×${calls} · ${failed} failed` : `×${calls}`;
    const shown = /** @type {Element} */ (repeats.querySelector(":scope > summary > .repeats__count"));
    if (shown.textContent !== text) shown.textContent = text;
    shown.classList.toggle("repeats__failed", failed > 0);
  }
}

/** Fold the repeated calls of a log, now and later. @param {HTMLElement} log */
export function foldCalls(log) {
  const all = () => {
    for (const call of log.querySelectorAll(`.${CALL}`)) {
      if (isCall(call) && !call.parentElement?.matches(".repeats")) fold(call);
    }
    count(log);
  };
  all();
  new MutationObserver(all).observe(log, { childList: true, subtree: true });
}
