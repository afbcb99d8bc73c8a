// Goes from difference to difference in the comparison of two conversations: by buttons, or with N and P.

/**
 * The next difference in a direction; at the ends the same one again.
 * @param {number} current from 1; 0: none yet @param {number} step @param {number} count
 */
export const nextDifference = (current, step, count) => Math.min(count, Math.max(1, current + step));

const rows = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-difference]"));
const output = document.getElementById("difference");
let current = 0;

/** @param {number} step */
function go(step) {
  if (!rows.length) return;
  current = nextDifference(current, step, rows.length);
  const row = rows[current - 1];
  row.scrollIntoView({ block: "start" });
  row.focus({ preventScroll: true });
  if (output) output.textContent = `Difference ${current} of ${rows.length}`;
}

document.addEventListener("click", ({ target }) => {
  const button = /** @type {HTMLElement | null} */ (
    /** @type {Element} */ (target).closest?.("[data-difference-step]")
  );
  if (button) go(Number(button.dataset.differenceStep));
});

const STEPS = { n: 1, p: -1 };
document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key.toLowerCase()];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/** @type {Element} */ (event.target).matches?.("select, textarea, input:not([type=checkbox])")) return;
  event.preventDefault();
  go(step);
});
