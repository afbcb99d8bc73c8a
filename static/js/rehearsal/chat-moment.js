// The chat at an earlier moment of the conversation: later entries are dimmed, and the last earlier one is in view.

const MOST_PAGES = 10; // largest number of earlier pages that are loaded for one moment
const ENTRIES = "[data-event]";

/** @param {Element} entry */
const seqOf = (entry) => Number(/** @type {HTMLElement} */ (entry).dataset.event);

/**
 * Dim the entries after an event, and scroll to the last other one. Without one the log is at its begin, so that an
 * earlier page is loaded.
 * @param {HTMLElement} log
 * @param {number | null} seq null for the present
 * @param {boolean} [loads] whether an earlier page may be loaded
 */
export function showChatAt(log, seq, loads = true) {
  log.toggleAttribute("data-past", seq !== null);
  /** @type {Element[]} */
  const earlier = [];
  for (const entry of log.querySelectorAll(ENTRIES)) {
    const isLater = seq !== null && seqOf(entry) > seq;
    entry.toggleAttribute("data-later", isLater);
    if (!isLater) earlier.push(entry);
  }
  const last = earlier.findLast((entry) => entry.checkVisibility()); // not within folded calls
  if (seq === null) log.scrollTop = log.scrollHeight;
  else if (last) reveal(log, last);
  else if (loads) log.scrollTop = 0;
}

/** Scroll the log so that an entry ends above its lower edge. @param {HTMLElement} log @param {Element} entry */
function reveal(log, entry) {
  const [frame, box] = [log.getBoundingClientRect(), entry.getBoundingClientRect()];
  log.scrollTop += box.bottom - frame.bottom + frame.height * 0.25;
}

/** Follow the moments of the time slider. @param {HTMLElement} log */
export function followMoments(log) {
  /** @type {number | null} */
  let moment = null;
  let pages = 0;
  document.addEventListener("baton:moment", (event) => {
    const { seq } = /** @type {CustomEvent<{seq: number | null}>} */ (event).detail;
    const wasPast = moment !== null;
    [moment, pages] = [seq, 0];
    if (seq !== null || wasPast) showChatAt(log, seq);
  });
  // Entries that come meanwhile are later ones, or an earlier page.
  new MutationObserver(() => moment !== null && showChatAt(log, moment, pages++ < MOST_PAGES)).observe(log, {
    childList: true,
  });
}

const log = document.getElementById("chat-log");
if (log) followMoments(log);
