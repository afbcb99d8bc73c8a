// The trace: follows what comes or holds still, filters it, has earlier events brought, and never holds more than a few
// hundred rows.
import { leadBack, seeEarlier } from "./earlier.js";
import { announce } from "./notice.js";
import { forget, isFiltered, sift } from "./sieve.js";

const MOST = 800; // rows that the page holds
const KEPT = 500; // of them, when there are more
const NEAR = 40; // pixels from the end that are still the end

const pane = /** @type {HTMLElement} */ (document.getElementById("trace"));
const filter = /** @type {HTMLFormElement | null} */ (document.getElementById("trace-filter"));
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById("trace-follow"));
const none = /** @type {HTMLElement | null} */ (document.querySelector(".trace__none"));

let following = true;
let isCut = false; // the newest rows are not here: the page shows what was before
let news = 0; // events that came while it held still
/** @type {HTMLElement[] | null} rows that came while others are asked for, which take the place of all */
let meanwhile = null;
/** @type {{seq: number, opens: boolean} | null} the event for which others were asked for */
let sought = null;
let end = 0;

/** The row of an event, if the page has it. @param {number} seq */
export const rowOf = (seq) => document.getElementById(`event-${seq}`);

/**
 * Bring an event into sight; where the page does not have it, have it brought. What is looked for stays: who opens an
 * event sees it among what is wanted; who only passes by sees the last before it.
 * @param {number} seq
 * @param {{opens?: boolean}} [how] whether it is opened, too
 */
export function show(seq, { opens = true } = {}) {
  hold();
  if (seq < 1) return; // before the first event there is none
  const isPassing = !opens && isFiltered();
  const row = isPassing ? shownBy(seq) : rowOf(seq);
  if (!row && filter && !isPassing) return bring(seq, opens);
  if (!row) return;
  row.hidden = false;
  const details = /** @type {HTMLDetailsElement} */ (row.querySelector("details"));
  if (opens) details.open = true;
  bringIntoSight(row, opens ? 0 : 0.4);
  if (opens) details.querySelector("summary")?.focus({ preventScroll: true });
  for (const other of pane.querySelectorAll(":scope > [aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
}

/** The last row that is shown, of those up to an event. @param {number} seq */
function shownBy(seq) {
  const shown = /** @type {HTMLElement[]} */ ([...pane.querySelectorAll(":scope > .event:not([hidden])")]);
  return shown.findLast((row) => Number(row.id.replace("event-", "")) <= seq);
}

/** Scroll the pane, and nothing but the pane. @param {Element} row @param {number} [share] how far down it is to be */
function bringIntoSight(row, share = 0) {
  const [of, at] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
  pane.scrollTop += at.top - of.top - share * (of.height - 28);
}

/** @param {number} seq @param {boolean} opens */
function bring(seq, opens) {
  const around = /** @type {HTMLInputElement} */ (filter?.elements.namedItem("around"));
  around.value = String(seq);
  sought = { seq, opens };
  filter?.requestSubmit();
  around.value = "";
}

function watch() {
  pane.addEventListener("scroll", () => {
    const isNear = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR;
    if (isNear && !isCut) follow();
    else if (following && pane.scrollTop < end) hold();
  });
  // What is opened is to be read: it stays where it is.
  pane.addEventListener("toggle", ({ target }) => /** @type {HTMLDetailsElement} */ (target).open && hold(), { capture: true });
  pane.addEventListener("htmx:afterSettle", ({ target }) => {
    const row = /** @type {Element} */ (target).matches(".event__body") && /** @type {Element} */ (target).closest(".event");
    if (row && row.getBoundingClientRect().bottom > pane.getBoundingClientRect().bottom) bringIntoSight(row);
  });
  new ResizeObserver(() => {
    fit();
    if (following) toEnd();
  }).observe(/** @type {HTMLElement} */ (pane.parentElement));
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]).filter((node) => node instanceof HTMLElement && node.matches(".event"));
    if (added.length) grow(/** @type {HTMLElement[]} */ (added));
  }).observe(pane, { childList: true });

  button?.addEventListener("click", () => (following ? hold() : catchUp()));
  for (const event of ["input", "change"]) filter?.addEventListener(event, () => (isCut = false));
  filter?.addEventListener("submit", (event) => event.preventDefault());
  filter?.addEventListener("htmx:beforeRequest", () => (meanwhile = []));
  document.getElementById("trace-clear")?.addEventListener("click", clear);
  document.addEventListener("baton:sifted", () => {
    sayNone();
    if (following) toEnd();
  });
  filter?.addEventListener("htmx:afterRequest", (event) => {
    if (!(/** @type {CustomEvent} */ (event).detail.successful)) meanwhile = null;
    sayNone();
  });
  // What the filter brings takes the place of all: a page of it, the newest last.
  pane.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target !== pane) return;
    const parameters = /** @type {CustomEvent} */ (event).detail.requestConfig?.parameters ?? {};
    isCut = Boolean(parameters.around ?? parameters.get?.("around"));
  });
  pane.addEventListener("htmx:afterSettle", (event) => {
    if (event.target !== pane) return;
    forget();
    if (!isCut) keepUp(meanwhile ?? []);
    meanwhile = null;
    tell();
    const { seq, opens } = sought ?? { seq: 0, opens: false };
    sought = null;
    if (seq && rowOf(seq)) show(seq, { opens });
  });
  seeEarlier(pane);
  fit();
  toEnd();
  listen();
}

/** What came since the server looked is added to what it found. @param {HTMLElement[]} rows */
function keepUp(rows) {
  for (const row of rows) {
    if (document.getElementById(row.id)) continue;
    pane.append(row);
    /** @type {any} */ (window).htmx?.process(row);
    sift(row);
  }
  sayNone();
  follow();
}

/** Show all events again. */
function clear() {
  filter?.reset();
  isCut = false;
  filter?.requestSubmit();
  document.getElementById("trace-text")?.focus();
}

/** Rows came: by the socket at the end, or because they were asked for. @param {HTMLElement[]} added */
function grow(added) {
  const isNew = live ? added : [];
  for (const row of isNew) sift(row);
  meanwhile?.push(...isNew);
  if (isCut) for (const row of isNew) row.remove();
  if (!following && isNew.length) {
    news += isNew.length;
    tell();
  }
  sayNone();
  bound();
  if (!pane.style.marginBlockStart) fit();
  if (following) toEnd();
  document.dispatchEvent(new CustomEvent("baton:grown"));
}

let live = false; // the rows that come are news: not what the filter brings, or the way to earlier events

/** Tell news from what was asked for. */
function listen() {
  document.addEventListener("htmx:wsBeforeMessage", () => (live = true));
  document.addEventListener("htmx:wsAfterMessage", () => queueMicrotask(() => (live = false)));
}

/** Say that no event is as the filter wants it. */
function sayNone() {
  const isNone = isFiltered() && !pane.querySelector(":scope > .event:not([hidden])");
  if (none) none.hidden = !isNone;
  pane.parentElement?.toggleAttribute("data-none", isNone);
}

/** Hold no more rows than the page can bear: at the end the oldest go, away from it the newest. */
function bound() {
  const rows = [...pane.querySelectorAll(":scope > .event")];
  if (rows.length <= MOST) return;
  if (following) {
    for (const row of rows.slice(0, rows.length - KEPT)) row.remove();
    leadBack(pane, Number(rows[rows.length - KEPT].id.replace("event-", "")));
  } else {
    for (const row of rows.slice(MOST)) row.remove();
    isCut = true;
  }
}

function follow() {
  following = true;
  news = 0;
  toEnd();
  tell();
}

function hold() {
  if (!following) return;
  following = false;
  tell();
}

/** Back to the newest: by scrolling, or where that is not here any more by asking for it. */
function catchUp() {
  if (isCut) {
    isCut = false;
    filter?.requestSubmit();
  }
  follow();
  announce("Following the events");
}

/** The pane is as high as so many whole rows: at its end it cuts none of them. */
function fit() {
  const row = [...pane.querySelectorAll(":scope > .event:not([hidden])")].at(-1);
  const high = row?.querySelector("summary")?.getBoundingClientRect().height;
  const each = high ? high + 1 : 0; // and its line
  pane.style.marginBlockStart = "";
  if (!each || pane.scrollHeight <= pane.clientHeight) return;
  const { paddingBlockEnd } = getComputedStyle(pane);
  pane.style.marginBlockStart = `${(pane.clientHeight - parseFloat(paddingBlockEnd)) % each}px`;
}

function toEnd() {
  pane.scrollTop = pane.scrollHeight;
  end = pane.scrollTop;
}

function tell() {
  if (!button) return;
  button.setAttribute("aria-pressed", String(following));
  button.textContent = following ? "Following" : news ? `Held · ${news} new` : "Held";
  button.title = following ? "Stay at the newest event; press to hold still" : "Press to go to the newest event";
}

if (pane) watch();
