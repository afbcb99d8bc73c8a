// Variants of messages: Retry and Edit create them, and the arrows at a message switch between them.
import { announce } from "../core/notice.js";
import { keepTexts } from "./kept-input.js";

const log = document.getElementById("chat-log");
const list = document.getElementById("variants");
if (log && list) showVariants(log, list);

const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("resend-dialog"));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("resend-form"));
const { seq, text } = /** @type {any} */ (form?.elements ?? {});
const typed = dialog && keepTexts(text, () => seq.value);

document.addEventListener("click", ({ target }) => {
  const button = /** @type {Element} */ (target).closest("[data-again], [data-otherwise]");
  if (button) resend(/** @type {HTMLElement} */ (button));
});

/** Send a message again, or open the dialog that changes it. @param {HTMLElement} button */
function resend(button) {
  if (!form || !dialog) return;
  const words = button.closest(".said-by-user")?.querySelector("p")?.textContent ?? "";
  const { again, otherwise = "" } = button.dataset;
  [seq.value, text.value] = [again ?? otherwise, (again ? "" : typed?.(otherwise)) || words];
  if (again) form.requestSubmit();
  else dialog.showModal();
}

/**
 * Keep the position of each message among its variants at the message.
 * @param {HTMLElement} log
 * @param {HTMLElement} list positions from the server
 */
export function showVariants(log, list) {
  placeVariants(log, list);
  const refresh = () =>
    /** @type {HTMLFormElement | null} */ (document.getElementById("variants-form"))?.requestSubmit();
  new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes]);
    if (!added.some((node) => node instanceof Element && node.matches(".said-by-user"))) return;
    placeVariants(log, list);
    if (list.hasAttribute("data-forked")) refresh(); // a message of this fork is a variant itself
  }).observe(log, { childList: true });
  // They come with a request, or to a watcher by the socket.
  new MutationObserver(() => placeVariants(log, list)).observe(list, { childList: true });
  requestWhenMarked(refresh);
  // Variants may be deleted or added on another page.
  addEventListener("focus", () => list.childElementCount && !document.querySelector("[data-offline]") && refresh());
  focusSwitch(log);
}

/** Request the positions when somebody else adds a variant. @param {() => void} refresh */
function requestWhenMarked(refresh) {
  const mark = document.getElementById("variants-mark");
  let known = "";
  const look = () => {
    const isNew = known && known !== mark?.textContent;
    known = mark?.textContent ?? "";
    if (isNew) refresh();
  };
  if (mark) new MutationObserver(look).observe(mark, { childList: true });
}

/** Show the positions at their messages, and none at others. @param {HTMLElement} log @param {HTMLElement} list */
export function placeVariants(log, list) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement?.closest(".variants [data-step-to]"));
  const run = focused?.closest(".variants")?.getAttribute("data-of");
  for (const placed of log.querySelectorAll(".variants")) placed.remove();
  for (const variants of /** @type {Iterable<HTMLElement>} */ (list.children)) {
    const message = log.querySelector(`.said-by-user[data-run="${CSS.escape(variants.dataset.of ?? "")}"]`);
    message?.querySelector("small")?.prepend(variants.cloneNode(true));
  }
  if (run) focusStep(log, run, focused?.dataset.stepTo ?? "");
}

/** After a switch: show the variant, announce its position, and return the focus. @param {HTMLElement} log */
function focusSwitch(log) {
  const address = new URL(location.href);
  const run = address.searchParams.get("variant");
  const to = address.searchParams.get("step") ?? "";
  if (!run) return;
  for (const name of ["variant", "step"]) address.searchParams.delete(name);
  history.replaceState(history.state, "", address);
  const variants = focusStep(log, run, to);
  if (variants) announce(variants.getAttribute("aria-label") ?? "");
}

/**
 * Give the button of a direction the focus, or the other one at the first and the last variant.
 * @param {HTMLElement} log @param {string} run @param {string} to
 */
function focusStep(log, run, to) {
  const variants = log.querySelector(`.variants[data-of="${CSS.escape(run)}"]`);
  const button =
    variants?.querySelector(`[data-step-to="${CSS.escape(to)}"]:enabled`) ?? variants?.querySelector("button:enabled");
  /** @type {HTMLElement | null | undefined} */ (button)?.focus({ preventScroll: true });
  variants?.closest(".said-by-user")?.scrollIntoView({ block: "center" });
  return variants;
}
