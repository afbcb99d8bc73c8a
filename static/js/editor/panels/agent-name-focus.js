// Moves the focus to the name of a new agent when it is chosen, and from its name back to the field of the agent,
// because
// the name's own field disappears.
import { isFocusLost } from "../../core/focus-fallback.js";

let isNaming = false;
let isKeyed = false; // a choice by arrow keys may be passed over; Tab leads to the name
document.addEventListener("focusin", ({ target }) => {
  isNaming = /** @type {Element} */ (target).matches("#stage-form [name=new_agent]");
});
for (const name of ["pointerdown", "keydown"])
  addEventListener(name, ({ key }) => (isKeyed = !!key && key !== "Enter"), true);
document.addEventListener("change", ({ target }) => {
  const choice = /** @type {HTMLSelectElement} */ (target);
  if (!isKeyed && choice.matches("#stage-form [name=agent_id]") && choice.value === ":new")
    choice.form?.elements["new_agent"].focus();
});
document.body.addEventListener("htmx:afterSettle", () => {
  if (isNaming && isFocusLost())
    /** @type {HTMLElement | null} */ (document.querySelector("#stage-form [name=agent_id]"))?.focus();
});
