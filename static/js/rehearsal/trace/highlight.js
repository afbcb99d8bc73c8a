// Highlights the searched words in the rows of the trace, without changing their elements.

const pane = document.getElementById("trace");
const field = /** @type {HTMLInputElement | null} */ (document.getElementById("trace-text"));
const SAID = ".event__kind, .event__what, .event__within, .event__matches, .event__detail, .event__body";
const NAME = "found";

let isDue = false;

/** Highlight the words after all pending changes. */
function due() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    mark();
  });
}

function mark() {
  const words = field?.value.trim().toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  if (!words.length) return CSS.highlights.delete(NAME);
  const ranges = [...(pane?.querySelectorAll(".event:not([hidden])") ?? [])]
    .flatMap((row) => [...row.querySelectorAll(SAID)])
    .flatMap((said) => found(said, words));
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** The places of the words in an element. @param {Element} said @param {string[]} words @returns {Range[]} */
function found(said, words) {
  const ranges = [];
  const texts = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    const lower = text.data.toLowerCase();
    if (lower.length !== text.data.length) continue; // a few lower-case letters are longer than their upper-case forms
    for (const word of words) {
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
        ranges.push(
          new StaticRange({ startContainer: text, startOffset: at, endContainer: text, endOffset: at + word.length }),
        );
      }
    }
  }
  return ranges;
}

if (pane && field && "highlights" in CSS) {
  pane.addEventListener("htmx:afterSettle", due);
  for (const event of ["baton:sifted", "baton:grown"]) document.addEventListener(event, due);
}
