// Orders routing rules by drag, and by Alt with an arrow key anywhere in the row of a rule.
import { submit } from "../submit-gesture.js";
import { announce } from "../../core/notice.js";

/** @typedef {{rows: HTMLElement[], tops: number[], from: number, to: number, y: number, scrolled: number}} Drag */
/** @type {Drag | null} */
let drag = null;

const panel = /** @type {HTMLElement} */ (document.getElementById("bottom-panel"));

document.addEventListener("pointerdown", (event) => {
  const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".grip")?.closest("tr"));
  if (!row || event.button || drag) return;
  event.preventDefault();
  const rows = /** @type {HTMLElement[]} */ ([...(row.parentElement?.children ?? [])]);
  const from = rows.indexOf(row);
  drag = { rows, tops: rows.map((one) => one.offsetTop), from, to: from, y: event.clientY, scrolled: panel.scrollTop };
  row.classList.add("is-carried");
  try {
    row.setPointerCapture(event.pointerId);
  } catch {
    // the pointer is released already
  }
});
document.addEventListener("pointermove", (event) => drag && moveTo(event.clientY));
document.addEventListener("pointerup", () => drag && drop());
document.addEventListener("pointercancel", () => drag && leave());
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Escape" && drag) {
      event.stopPropagation();
      return leave();
    }
    const row = /** @type {Element} */ (event.target).closest?.("#rules-table tr[data-rule]");
    if (!row || !event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const [up, down] = /** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll(".order button"));
    const button = event.key === "ArrowUp" ? up : down;
    if (button.ariaDisabled === "true")
      return announce(`Rule ${nameOf(row)} is already ${event.key === "ArrowUp" ? "first" : "last"}.`);
    button.focus();
    button.click();
  },
  true,
);

/** Move the other rows to make room for the dragged row. @param {number} y */
function moveTo(y) {
  const { rows, tops, from, scrolled } = /** @type {Drag} */ (drag);
  const box = panel.getBoundingClientRect();
  if (y < box.top + 50) panel.scrollTop -= 8;
  if (y > box.bottom - 10) panel.scrollTop += 8;
  const by = y - /** @type {Drag} */ (drag).y + panel.scrollTop - scrolled;
  const [height, middle] = [rows[from].offsetHeight, tops[from] + by + rows[from].offsetHeight / 2];
  const to = rows.filter((row, place) => place !== from && tops[place] + row.offsetHeight / 2 < middle).length;
  rows.forEach((row, place) => {
    const aside = place > from && place <= to ? -height : place < from && place >= to ? height : 0;
    row.style.translate = `0 ${place === from ? by : aside}px`;
  });
  /** @type {Drag} */ (drag).to = to;
}

async function drop() {
  const { rows, from, to } = /** @type {Drag} */ (drag);
  if (from === to) return leave();
  const others = rows.filter((_, place) => place !== from);
  const before = others[to] ? nameOf(others[to]) : "";
  drag = null;
  rows[from].classList.remove("is-carried");
  await submit("move-rule", { rule: nameOf(rows[from]), before });
  settle(rows); // rows that a rejected move has left in the page
}

function leave() {
  const { rows, from } = /** @type {Drag} */ (drag);
  drag = null;
  rows[from].classList.remove("is-carried");
  settle(rows);
}

/** @param {HTMLElement[]} rows */
function settle(rows) {
  for (const row of rows) row.style.translate = "";
}

/** @param {Element} row */
const nameOf = (row) => /** @type {HTMLElement} */ (row).dataset.rule ?? "";
