// Moves the focus to the name of a new agent when it is chosen, and from its name back to the field of the agent,
// because the field of the name disappears.
import { isFocusLost } from "../../core/focus-fallback.js";

const CHOICE = "#stage-form [name=agent_id]";

/** @param {HTMLSelectElement | null} choice of an agent */
function goToName(choice) {
  if (choice?.value === ":new") choice.form?.elements["new_agent"].focus();
}

let isNaming = false;
let isKeyed = false; // a choice by arrow keys may be passed over; Tab leads to the name
document.addEventListener("focusin", ({ target }) => {
  isNaming = /** @type {Element} */ (target).matches("#stage-form [name=new_agent]");
});
for (const name of ["pointerdown", "keydown"])
  addEventListener(name, ({ key }) => (isKeyed = !!key && key !== "Enter"), true);
document.addEventListener("change", ({ target }) => {
  const choice = /** @type {HTMLSelectElement} */ (target);
  if (!isKeyed && choice.matches(CHOICE)) goToName(choice);
});
document.body.addEventListener("htmx:afterSettle", () => {
  if (isNaming && isFocusLost())
    /** @type {HTMLElement | null} */ (document.querySelector(CHOICE))?.focus();
});
if (isFocusLost() || document.activeElement?.matches(CHOICE)) goToName(document.querySelector(CHOICE)); // chosen early
