// Times of day in the reader's time zone: the server writes its own.

const PARTS = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const MINUTES = new Intl.DateTimeFormat("en-GB", PARTS);
const SECONDS = new Intl.DateTimeFormat("en-GB", { ...PARTS, second: "2-digit" });

/** @param {string} moment @param {boolean} hasSeconds */
export const clock = (moment, hasSeconds) => (hasSeconds ? SECONDS : MINUTES).format(new Date(moment));

/** Show the local time in an element and in the elements within it. @param {Element} element */
function localise(element) {
  for (const time of [element, ...element.querySelectorAll("time[data-clock]")]) {
    if (!(time instanceof HTMLTimeElement) || !time.dataset.clock) continue;
    const text = clock(time.dateTime, time.dataset.clock.length > 5);
    if (time.dataset.clock !== text) time.dataset.clock = text;
  }
}

for (const place of document.querySelectorAll("#trace, #chat-log, .inbox")) {
  localise(place);
  new MutationObserver((records) => {
    for (const node of records.flatMap((record) => [...record.addedNodes])) {
      if (node instanceof Element) localise(node);
    }
  }).observe(place, { childList: true, subtree: true });
}
