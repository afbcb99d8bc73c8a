// Feedback on answers: each answer of the chat gets its buttons, and shows the feedback that was given last.
import { moveByArrows } from "../core/arrow-keys.js";
import { keepTexts } from "./kept-input.js";

/** @typedef {{ rating: string, comment: string, by: string }} Feedback */

/** @type {Feedback} */
const NONE = { rating: "", comment: "", by: "" };

/**
 * The last feedback on each answer, by the number of the answer.
 * @param {Iterable<Element>} recorded in order
 * @returns {Map<string, Feedback>}
 */
export function lastFeedback(recorded) {
  return new Map(
    [...recorded].map((item) => {
      const { about = "", rating = "", by = "" } = /** @type {HTMLElement} */ (item).dataset;
      return [about, { rating, by, comment: item.textContent ?? "" }];
    }),
  );
}

/** The rating after a press on a thumb: a second press takes it back. @param {string} rating @param {string} pressed */
export const toggled = (rating, pressed) => (rating === pressed ? "" : pressed);

const ANSWER = ".turn[data-answer]";
const log = document.getElementById("chat-log");
const recorded = document.getElementById("feedback-log");
const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById("feedback-template"));
if (log && recorded && template) offer(log, recorded, template);

/**
 * @param {HTMLElement} log
 * @param {HTMLElement} recorded
 * @param {HTMLTemplateElement} template
 */
function offer(log, recorded, template) {
  let given = lastFeedback(recorded.children);

  /** Give each new answer its buttons; one of those of the last answer is the tab stop. */
  const addButtons = () => {
    const added = [...log.querySelectorAll(`${ANSWER}:not(:has(> .feedback))`)];
    for (const answer of added) {
      answer.append(/** @type {Element} */ (template.content.firstElementChild).cloneNode(true)); // without white space
      show(/** @type {HTMLElement} */ (answer));
    }
    if (!added.length) return;
    for (const stop of log.querySelectorAll('.feedback > button[tabindex="0"]')) stop.setAttribute("tabindex", "-1");
    [...log.querySelectorAll(".feedback")].at(-1)?.querySelector("button")?.setAttribute("tabindex", "0");
  };

  /** Show the feedback on an answer. @param {HTMLElement} answer */
  const show = (answer) => {
    const place = /** @type {HTMLElement} */ (answer.querySelector(":scope > .feedback"));
    const { rating, comment, by } = given.get(answer.dataset.answer ?? "") ?? NONE;
    place.toggleAttribute("data-given", Boolean(rating || comment));
    for (const thumb of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-rate]"))) {
      const isGiven = thumb.dataset.rate === rating;
      if (thumb.matches("button")) thumb.setAttribute("aria-pressed", String(isGiven));
      else thumb.hidden = !isGiven;
    }
    const line = /** @type {HTMLElement} */ (place.querySelector(".feedback__comment"));
    line.hidden = !comment;
    /** @type {HTMLElement} */ (line.firstElementChild).textContent = by;
    /** @type {HTMLElement} */ (line.lastElementChild).textContent = comment;
  };

  new MutationObserver(addButtons).observe(log, { childList: true, subtree: true });
  new MutationObserver(() => {
    given = lastFeedback(recorded.children);
    for (const answer of /** @type {NodeListOf<HTMLElement>} */ (log.querySelectorAll(`${ANSWER}:has(> .feedback)`)))
      show(answer);
  }).observe(recorded, { childList: true });
  moveByArrows(log, { items: ".feedback > button", stop: ".feedback > button" });
  addButtons();

  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("feedback-form"));
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("feedback-dialog"));
  if (!form || !dialog) return;
  const commentForm = /** @type {HTMLFormElement} */ (dialog.querySelector("form"));

  const field = (name) => /** @type {any} */ (commentForm.elements.namedItem(name));
  const typed = keepTexts(field("comment"), () => field("about").value);

  /** @param {HTMLFormElement} form @param {string} about @param {Partial<Feedback>} feedback */
  const fill = (form, about, { rating = "", comment = "" }) => {
    for (const [name, value] of Object.entries({ about, rating, comment }))
      /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  };

  log.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(".feedback > button"));
    const about = /** @type {HTMLElement | null} */ (button?.closest(ANSWER))?.dataset.answer;
    if (!button || !about) return;
    const { rating, comment } = given.get(about) ?? NONE;
    if (button.dataset.rate) {
      fill(form, about, { rating: toggled(rating, button.dataset.rate), comment });
      form.requestSubmit();
      return;
    }
    fill(commentForm, about, { rating, comment: typed(about) ?? comment });
    field("comment").dispatchEvent(new Event("input", { bubbles: true }));
    /** @type {HTMLElement} */ (dialog.querySelector("[data-withdraw]")).hidden = !rating && !comment;
    dialog.showModal();
  });
  commentForm.addEventListener("submit", () => dialog.close());
  dialog.querySelector("[data-withdraw]")?.addEventListener("click", () => {
    fill(form, field("about").value, NONE);
    form.requestSubmit();
    dialog.close();
  });
}
