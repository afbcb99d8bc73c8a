// Which of the events that come are as the filter wants them: by kind and agent the row itself tells, by words the
// server,
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
  if (row.hidden) return;
  if (!String(text ?? "").trim()) return count();
  row.hidden = true;
  unsure.add(numberOf(row));
  ask();
}

/**
 * Show a row that is wanted, with where it has what it does not show.
 * @param {HTMLElement | null} row
 * @param {[string, string][]} hits
 */
function find(row, hits) {
  count();
  row?.removeAttribute("hidden");
  if (!row || !hits.length) return;
  const says = Object.assign(document.createElement("span"), { className: "event__hits" });
  for (const [name, text] of hits)
    says.append(
      says.childNodes.length ? " · in " : "in ",
      Object.assign(document.createElement("b"), { textContent: name }),
      `: ${text}`,
    );
  row.querySelector(".event__detail")?.before(says);
}

/** One more is found, where they are counted. */
function count() {
  const found = document.getElementById("trace-found");
  if (!found?.dataset.count) return;
  found.dataset.count = String(Number(found.dataset.count) + 1);
  found.textContent = `${Number(found.dataset.count).toLocaleString("en")} found`;
}

/** Another filter brings all rows anew. */
export const forget = () => unsure.clear();

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

/** @param {boolean} came @param {string} asked the filter that the answer is for */
function take(came, asked) {
  isAsking = false;
  if (!came) return; // the next row that comes asks again
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
