// Links to a moment of the conversation: `?at=14` moves the time slider to event 14.
import { announce, notify } from "../../core/notice.js";

/**
 * The event that an address names, if it is before the last one.
 * @param {string} search @param {number} last @returns {number | null}
 */
export function momentOf(search, last) {
  const at = Number(new URLSearchParams(search).get("at"));
  return Number.isInteger(at) && at >= 1 && at < last ? at : null;
}

/** The address of the page at an event. @param {string} href @param {number} seq */
export function linkTo(href, seq) {
  const url = new URL(href);
  url.search = new URLSearchParams({ at: String(seq) }).toString();
  url.hash = "";
  return url.href;
}

const slider = /** @type {HTMLInputElement | null} */ (document.getElementById("time-slider"));
const back = document.getElementById("time-slider-now");
const button = document.getElementById("time-slider-link");
if (slider && back && button) {
  const show = () => (button.hidden = back.hidden);
  new MutationObserver(show).observe(back, { attributeFilter: ["hidden"] });
  show();
  button.addEventListener("click", async () => {
    const link = linkTo(location.href, Number(slider.value));
    try {
      await navigator.clipboard.writeText(link);
      announce(`The link to event ${slider.value} is copied.`);
      notify(`The link to event ${slider.value} is copied.`, "success");
    } catch {
      notify(`The link could not be copied. It is ${link}`, "warning");
    }
  });
  // A fork begins at the moment that is shown.
  const fork = document.getElementById("fork-here");
  const now = fork?.getAttribute("href") ?? "";
  fork?.addEventListener("click", () => fork.setAttribute("href", back.hidden ? now : `${now}${slider.value}/`));
  // After the first htmx:load the forms that load the events are connected.
  document.addEventListener("htmx:load", open, { once: true });
}

/** Show the moment of the page's address. */
function open() {
  const at = slider && momentOf(location.search, Number(slider.max));
  if (!at) return;
  slider.value = String(at);
  for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name, { bubbles: true }));
}
