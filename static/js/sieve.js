// Which of the events that come are as the filter wants them: by kind and agent the row itself tells, by words the server,
// which has all that an event says. Until it has answered such a row is not shown.

const filter = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-filter"));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-matching-form"));
const answer = document.getElementById("trace-matching");

/** @type {Set<number>} events of which the server has not told yet */
const unsure = new Set();
let isAsking = false;

const wanted = () => Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (filter)));
const numberOf = (row) => Number(row.id.replace("event-", ""));

/** Whether anything is filtered. */
export const isFiltered = () => (filter ? Object.values(wanted()).some(Boolean) : false);

/** Hide a row that has come, unless it is wanted. @param {HTMLElement} row */
export function sift(row) {
  if (!filter) return;
  const { kind, agent, text } = wanted();
  row.hidden = Boolean((kind && row.dataset.kind !== kind) || (agent && row.dataset.agent !== agent));
  if (row.hidden || !String(text ?? "").trim()) return;
  row.hidden = true;
  unsure.add(numberOf(row));
  ask();
}

/** Another filter brings all rows anew. */
export const forget = () => unsure.clear();

function ask() {
  if (isAsking || !unsure.size || !form) return;
  isAsking = true;
  /** @type {HTMLInputElement} */ (form.elements.namedItem("after")).value = String(Math.min(...unsure) - 1);
  const asked = JSON.stringify(wanted());
  form.addEventListener("htmx:afterRequest", (event) => take(/** @type {CustomEvent} */ (event).detail.successful, asked), { once: true });
  form.requestSubmit();
}

/** @param {boolean} came @param {string} asked the filter that the answer is for */
function take(came, asked) {
  isAsking = false;
  if (!came) return; // the next row that comes asks again
  const [upto, ...found] = (answer?.textContent ?? "").trim().split(" ").map(Number);
  answer?.replaceChildren();
  if (asked === JSON.stringify(wanted())) {
    for (const seq of found) if (unsure.has(seq)) document.getElementById(`event-${seq}`)?.removeAttribute("hidden");
    for (const seq of [...unsure]) if (seq <= upto) unsure.delete(seq);
    document.dispatchEvent(new CustomEvent("baton:sifted"));
  }
  ask();
}
