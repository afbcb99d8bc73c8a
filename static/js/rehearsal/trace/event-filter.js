// Filters new events. The row itself tells its kind and agent; words are searched by the server, which has the whole
// event.
// Until it has answered, the row is hidden.

const filter = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-filter"));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-matching-form"));
const answer = document.getElementById("trace-matching");

/** @type {Set<number>} events that the server has not searched yet */
const unsure = new Set();
let isAsking = false;

const wanted = () => Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (filter)));
const numberOf = (row) => Number(row.id.replace("event-", ""));

/** Report whether a filter is set. */
export const isFiltered = () => (filter ? Object.values(wanted()).some(Boolean) : false);

/** Hide a new row, unless it matches. @param {HTMLElement} row */
export function filterRow(row) {
  if (!filter) return;
  const { kind, agent, text } = wanted();
  row.hidden = Boolean((kind && row.dataset.kind !== kind) || (agent && row.dataset.agent !== agent));
  if (row.hidden) return;
  if (!String(text ?? "").trim()) return count();
  row.hidden = true;
  unsure.add(numberOf(row));
  ask();
}

/**
 * Show a matching row, with the matches in its hidden parts.
 * @param {HTMLElement | null} row
 * @param {[string, string][]} hits
 */
function find(row, hits) {
  count();
  row?.removeAttribute("hidden");
  if (!row || !hits.length) return;
  const says = Object.assign(document.createElement("span"), { className: "event__matches" });
  for (const [name, text] of hits)
    says.append(
      says.childNodes.length ? " · in " : "in ",
      Object.assign(document.createElement("b"), { textContent: name }),
      `: ${text}`,
    );
  row.querySelector(".event__detail")?.before(says);
}

/** Increase the number of matches. */
function count() {
  const found = document.getElementById("trace-found");
  if (!found?.dataset.count) return;
  found.dataset.count = String(Number(found.dataset.count) + 1);
  found.textContent = `${Number(found.dataset.count).toLocaleString("en")} found`;
}

/** Forget pending rows, because another filter loads all rows again. */
export const forgetPending = () => unsure.clear();

function ask() {
  if (isAsking || !unsure.size || !form) return;
  isAsking = true;
  /** @type {HTMLInputElement} */ (form.elements.namedItem("after")).value = String(Math.min(...unsure) - 1);
  const asked = JSON.stringify(wanted());
  form.addEventListener(
    "htmx:afterRequest",
    (event) => take(/** @type {CustomEvent} */ (event).detail.successful, asked),
    { once: true },
  );
  form.requestSubmit();
}

/** @param {boolean} came @param {string} asked the filter of the answer */
function take(came, asked) {
  isAsking = false;
  if (!came) return; // the next row asks again
  const { upto, found } = JSON.parse(answer?.textContent || '{"upto": 0, "found": {}}');
  answer?.replaceChildren();
  if (asked === JSON.stringify(wanted())) {
    for (const [seq, hits] of Object.entries(found))
      if (unsure.has(Number(seq))) find(document.getElementById(`event-${seq}`), hits);
    for (const seq of [...unsure]) if (seq <= upto) unsure.delete(seq);
    document.dispatchEvent(new CustomEvent("baton:sifted"));
  }
  ask();
}
