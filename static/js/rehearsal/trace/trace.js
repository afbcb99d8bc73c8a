// The trace: follows what comes or holds still, filters it, has earlier events brought, and never holds more than a few
// hundred rows.
import "./highlight.js";
import "./expanded-event.js";
import { leadBack, seeEarlier } from "./earlier-entries.js";
import { announce } from "../../core/notice.js";
import { forget, isFiltered, sift } from "./event-filter.js";

const MOST = 800; // rows that the page holds
const KEPT = 500; // of them, when there are more
const NEAR = 40; // pixels from the end that are still the end
const MOST_REST = 32; // pixels that may stay empty above the topmost row, so that it is whole

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
let was = 0; // where it was scrolled to
let isPressed = false; // a pointer is, on a row: nothing moves under it

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

/** @type {Element | null} the row that was brought into sight last */
let brought = null;

/**
 * Scroll the pane, and nothing but the pane; once more when the rows around have got their real heights.
 * @param {Element} row @param {number} [share] how far down it is to be
 */
function bringIntoSight(row, share = 0) {
  const place = () => {
    const [of, at] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
    pane.scrollTop += at.top - of.top - share * (of.height - 28);
  };
  place();
  brought = row;
  requestAnimationFrame(() => requestAnimationFrame(() => !following && brought === row && row.isConnected && place()));
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
    const away = pane.scrollHeight - pane.scrollTop - pane.clientHeight;
    const isDown = pane.scrollTop > was;
    was = pane.scrollTop;
    // However little one goes back, one has left the end; who comes near it again is at it.
    if (following && pane.scrollTop < end - 1 && away > 2) hold();
    else if (!following && !isCut && away < (isDown ? NEAR : 2)) follow();
  });
  // A press on the scroll bar, which is no row's, is not always told to be over.
  pane.addEventListener("pointerdown", ({ target }) => (isPressed = target !== pane));
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => isPressed && release());
  // What is opened is to be read: it stays where it is.
  pane.addEventListener("toggle", ({ target }) => /** @type {HTMLDetailsElement} */ (target).open && hold(), {
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
  unfit();
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

/** At its end the pane is as high as so many whole rows: it cuts none of them. */
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

/** What was to be moved meanwhile is, once the click is over. */
function release() {
  isPressed = false;
  requestAnimationFrame(() => (following ? toEnd() : unfit()));
}

/** Away from its end it is as high as it can be, and what is read stays where it is. */
function unfit() {
  if (isPressed) return;
  const rest = parseFloat(pane.style.marginBlockStart) || 0;
  pane.style.marginBlockStart = "";
  pane.scrollTop -= rest;
}

let settling = 0;

/** Go to the end, and once more when the rows that came into sight have got their real heights. */
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

function tell() {
  if (!button) return;
  button.setAttribute("aria-pressed", String(following));
  button.textContent = following ? "Following" : news ? `Held · ${news} new` : "Held";
  button.title = following ? "Stay at the newest event; press to hold still" : "Press to go to the newest event";
}

if (pane) watch();
