// Performs the items of the checklist for the first pipeline. Links rehearse and export by themselves.
import { announce } from "../core/notice.js";
import { showSheet } from "../core/panel-sheets.js";
import { focusField } from "./panels/focus-new.js";

document.addEventListener("click", ({ target }) => {
  if (/** @type {Element} */ (target).closest("a[download]"))
    document.getElementById("checklist")?.dispatchEvent(new Event("baton:exported")); // requests it again
  const fold = document.querySelector(".checklist__fold"); // shown on a phone
  if (fold?.contains(/** @type {Node} */ (target)))
    return fold.setAttribute("aria-expanded", String(fold.getAttribute("aria-expanded") === "false"));
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("#checklist [data-item]"));
  if (button) fold?.setAttribute("aria-expanded", "false");
  if (button?.dataset.item === "draw") draw();
  else if (button) instruct(button.dataset.key ?? "");
});

// Before the click selects the agent of the button.
document.addEventListener(
  "click",
  ({ target }) => {
    const button = /** @type {Element} */ (target).closest("#checklist [data-keys]");
    if (button) goToNextAgent(/** @type {HTMLElement} */ (button));
  },
  { capture: true },
);

/** Leave out the agent whose instructions are being typed: they are saved only now. @param {HTMLElement} button */
function goToNextAgent({ dataset }) {
  const field = /** @type {any} */ (document.querySelector("#inspector .prompt textarea"));
  const subject = /** @type {any} */ (document.querySelector("#inspector [name=subject]"));
  const written = field?.value.trim() ? subject?.value : "";
  const keys = (dataset.keys ?? "").split(" ").filter((key) => key !== written);
  [dataset.keys, dataset.key] = [keys.join(" "), keys[0] ?? ""];
  if (!dataset.key) delete dataset.select;
}

/** Add the first stage, or begin to connect a stage that leads nowhere. */
function draw() {
  const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#stages > .stage")]);
  const sources = new Set([...document.querySelectorAll("#edges > .edge")].map((edge) => edge.dataset.source));
  const card = cards.find(({ dataset }) => !sources.has(dataset.phase)) ?? cards[0];
  showSheet("");
  if (!card) return /** @type {HTMLElement | null} */ (document.querySelector(".canvas__empty [data-add]"))?.click();
  card.focus();
  card.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true, cancelable: true }));
}

/** Go to the instructions of an agent, which its button selects. @param {string} key */
function instruct(key) {
  if (key) focusField({ kind: "agent", key }, "instructions");
  else announce("Every agent has instructions, or there is no agent yet.");
}
