// The trace: follows new events or holds its position, filters them, loads earlier ones, and limits the number of rows.
import { foldCalls, visibleRow } from "./supervisor-calls.js";
import "./highlight.js";
import "./expanded-event.js";
import { linkToEarlier, loadEarlier } from "./earlier-entries.js";
import { moveByArrows } from "../../core/arrow-keys.js";
import { announce } from "../../core/notice.js";
import { forgetPending, isFiltered, filterRow } from "./event-filter.js";

const MOST = 800; // largest number of rows
const KEPT = 500; // number of rows after a reduction
const NEAR = 40; // pixels from the end that count as the end
const MOST_REST = 32; // largest empty space in pixels above the first row, so that it is not cut

const pane = /** @type {HTMLElement} */ (document.getElementById("trace"));
const filter = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-filter"));
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById("trace-follow"));
const noMatch = /** @type {HTMLElement | null} */ (document.querySelector(".trace__none"));

let following = true;
let isCut = false; // whether the newest rows are not in the page
let news = 0; // number of new events while it holds its position
/** @type {HTMLElement[] | null} new rows during a request that replaces all rows */
let newRows = null;
/** @type {{seq: number, opens: boolean} | null} the requested event */
let requested = null;
let end = 0;
let lastTop = 0; // former scroll position
let isPressed = false; // whether a row is pressed: nothing moves under the pointer
let isScrolled = true; // whether the reader has scrolled since an event was opened or shown

/** The row of an event, if it is in the page. @param {number} seq */
export const rowOf = (seq) => document.getElementById(`event-${seq}`);

/**
 * Show an event, loading it if necessary. The filter stays: an expanded event is shown among the matches, the time
 * slider shows the last match before the event.
 * @param {number} seq
 * @param {{opens?: boolean}} [how] whether the row is expanded
 */
export function show(seq, { opens = true } = {}) {
  holdAtEvent();
  if (seq < 1) return; // there is no event before the first
  const isPassing = !opens && isFiltered();
  const row = isPassing ? shownBy(seq) : visibleRow(rowOf(seq), { opens });
  if (!row && filter && !isPassing) return loadAround(seq, opens);
  if (!row) return;
  row.hidden = false;
  const details = /** @type {HTMLDetailsElement} */ (row.querySelector("details"));
  if (opens) details.open = true;
  bringIntoSight(row, opens ? 0 : 0.4);
  if (opens) details.querySelector("summary")?.focus({ preventScroll: true });
  for (const other of pane.querySelectorAll(":scope > [aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
}

/** The last visible row up to an event. @param {number} seq */
function shownBy(seq) {
  const shown = /** @type {HTMLElement[]} */ ([...pane.querySelectorAll(":scope > .event:not([hidden])")]);
  return shown.findLast((row) => Number(row.id.replace("event-", "")) <= seq);
}

/** @type {Element | null} the row shown last */
let lastShown = null;

/**
 * Scroll the pane to a row, and again when the rows around it have their real heights.
 * @param {Element} row
 * @param {number} [share] position in the pane, from 0 to 1
 */
function bringIntoSight(row, share = 0) {
  const place = () => {
    const [of, at] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
    pane.scrollTop += at.top - of.top - share * (of.height - 28);
  };
  place();
  lastShown = row;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => !following && lastShown === row && row.isConnected && place()),
  );
}

/** @param {number} seq @param {boolean} opens */
function loadAround(seq, opens) {
  const around = /** @type {HTMLInputElement} */ (filter?.elements.namedItem("around"));
  around.value = String(seq);
  requested = { seq, opens };
  filter?.requestSubmit();
  around.value = "";
}

function watch() {
  foldCalls(pane); // first, so that rows are measured as they are shown
  pane.addEventListener("scroll", () => {
    const away = pane.scrollHeight - pane.scrollTop - pane.clientHeight;
    const isDown = pane.scrollTop > lastTop;
    lastTop = pane.scrollTop;
    // Scrolling back a little leaves the end; scrolling down near the end returns to it.
    if (following && pane.scrollTop < end - 1 && away > 2) hold();
    else if (!following && isScrolled && !isCut && away < (isDown ? NEAR : 2)) follow();
  });
  for (const input of ["wheel", "touchmove", "keydown"])
    pane.addEventListener(input, () => (isScrolled = true), { passive: true });
  pane.addEventListener("pointerdown", ({ target }) => (isScrolled ||= target === pane));
  // The end of a press on the scroll bar is not always reported.
  pane.addEventListener("pointerdown", ({ target }) => (isPressed = target !== pane));
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => isPressed && release());
  // An expanded event stays in place.
  pane.addEventListener("toggle", ({ target }) => /** @type {HTMLDetailsElement} */ (target).open && holdAtEvent(), {
    capture: true,
  });
  pane.addEventListener("htmx:afterSettle", ({ target }) => {
    const row =
      /** @type {Element} */ (target).matches(".event__body") && /** @type {Element} */ (target).closest(".event");
    if (row && row.getBoundingClientRect().bottom > pane.getBoundingClientRect().bottom) bringIntoSight(row);
  });
  new ResizeObserver(() => following && toEnd()).observe(/** @type {HTMLElement} */ (pane.parentElement));
  new MutationObserver((records) => {
    const added = records
      .flatMap((record) => [...record.addedNodes])
      .filter((node) => node instanceof HTMLElement && node.matches(".event"));
    if (added.length) grow(/** @type {HTMLElement[]} */ (added));
  }).observe(pane, { childList: true });

  button?.addEventListener("click", () => (following ? hold() : catchUp()));
  for (const event of ["input", "change"]) filter?.addEventListener(event, () => (isCut = false));
  filter?.addEventListener("submit", (event) => event.preventDefault());
  filter?.addEventListener("htmx:beforeRequest", () => (newRows = []));
  document.getElementById("trace-clear")?.addEventListener("click", clear);
  document.addEventListener("baton:sifted", () => {
    showNoMatch();
    if (following) toEnd();
  });
  filter?.addEventListener("htmx:afterRequest", (event) => {
    if (!(/** @type {CustomEvent} */ (event).detail.successful)) newRows = null;
    showNoMatch();
  });
  // An answer to the filter replaces all rows with a page of matches.
  pane.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target !== pane) return;
    const parameters = /** @type {CustomEvent} */ (event).detail.requestConfig?.parameters ?? {};
    isCut = Boolean(parameters.around ?? parameters.get?.("around"));
  });
  pane.addEventListener("htmx:afterSettle", (event) => {
    if (event.target !== pane) return;
    forgetPending();
    if (!isCut) keepUp(newRows ?? []);
    newRows = null;
    showState();
    const { seq, opens } = requested ?? { seq: 0, opens: false };
    requested = null;
    if (seq && rowOf(seq)) show(seq, { opens });
  });
  loadEarlier(pane);
  moveByArrows(pane, { items: ".event > details > summary" });
  toEnd();
  listen();
}

/** Add the rows that came during a request. @param {HTMLElement[]} rows */
function keepUp(rows) {
  for (const row of rows) {
    if (document.getElementById(row.id)) continue;
    pane.append(row);
    /** @type {any} */ (window).htmx?.process(row);
    filterRow(row);
  }
  showNoMatch();
  follow();
}

/** Remove the filter. */
function clear() {
  filter?.reset();
  isCut = false;
  filter?.requestSubmit();
  document.getElementById("trace-text")?.focus();
}

/** Handle added rows: new ones from the socket, or requested ones. @param {HTMLElement[]} added */
function grow(added) {
  const isNew = live ? added : [];
  for (const row of isNew) filterRow(row);
  newRows?.push(...isNew);
  if (isCut) for (const row of isNew) row.remove();
  if (!following && isNew.length) {
    news += isNew.length;
    showState();
  }
  showNoMatch();
  bound();
  if (following) toEnd();
  document.dispatchEvent(new CustomEvent("baton:grown"));
}

let live = false; // whether added rows are new events

/** Tell new events from requested ones. */
function listen() {
  document.addEventListener("htmx:wsBeforeMessage", () => (live = true));
  document.addEventListener("htmx:wsAfterMessage", () => queueMicrotask(() => (live = false)));
}

/** Show a sentence if no event matches. */
function showNoMatch() {
  const isNone = isFiltered() && !pane.querySelector(":scope > .event:not([hidden])");
  if (noMatch) noMatch.hidden = !isNone;
  pane.parentElement?.toggleAttribute("data-none", isNone);
}

/** Limit the number of rows: at the end the oldest are removed, elsewhere the newest. */
function bound() {
  const rows = [...pane.querySelectorAll(":scope > .event")];
  if (rows.length <= MOST) return;
  if (following) {
    for (const row of rows.slice(0, rows.length - KEPT)) row.remove();
    linkToEarlier(pane, Number(rows[rows.length - KEPT].id.replace("event-", "")));
  } else {
    for (const row of rows.slice(MOST)) row.remove();
    isCut = true;
  }
}

function follow() {
  following = true;
  news = 0;
  toEnd();
  showState();
}

function hold() {
  if (!following) return;
  following = false;
  clearFit();
  showState();
}

/** Hold at an event: the pane moves and changes its height, which is no scrolling to the end. */
function holdAtEvent() {
  isScrolled = false;
  hold();
}

/** Return to the newest event: by scrolling, or by a request if it is not in the page. */
export function catchUp() {
  if (isCut) {
    isCut = false;
    filter?.requestSubmit();
  }
  follow();
  announce("Following the events");
}

/** At its end the pane shows whole rows only. */
function fit() {
  pane.style.marginBlockStart = "";
  const high = pane.clientHeight - parseFloat(getComputedStyle(pane).paddingBlockEnd);
  if (pane.scrollHeight <= pane.clientHeight) return;
  let whole = 0;
  for (let row = pane.lastElementChild; row; row = row.previousElementSibling) {
    const { height } = row.getBoundingClientRect();
    if (whole + height > high) break;
    whole += height;
  }
  const rest = high - whole;
  if (rest <= MOST_REST) pane.style.marginBlockStart = `${rest}px`;
}

/** Make up for moves that waited for the end of a press. */
function release() {
  isPressed = false;
  requestAnimationFrame(() => (following ? toEnd() : clearFit()));
}

/** Away from its end the pane has its full height, and visible rows stay in place. */
function clearFit() {
  if (isPressed) return;
  const rest = parseFloat(pane.style.marginBlockStart) || 0;
  pane.style.marginBlockStart = "";
  pane.scrollTop -= rest;
}

let settling = 0;

/** Scroll to the end, and again when new rows have their real heights. */
function toEnd() {
  goToEnd();
  settling ||= requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      settling = 0;
      if (following) goToEnd();
    }),
  );
}

function goToEnd() {
  if (isPressed) return;
  fit();
  pane.scrollTop = pane.scrollHeight;
  end = pane.scrollTop;
}

function showState() {
  if (!button) return;
  button.setAttribute("aria-pressed", String(following));
  button.textContent = following ? "Following" : news ? `Held · ${news} new` : "Held";
  button.title = following ? "Stay at the newest event; press to hold still" : "Press to go to the newest event";
}

if (pane) watch();
