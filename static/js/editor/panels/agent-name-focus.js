// Who chooses to have a new agent goes on at its name. Who names it and presses Enter goes on at the field that shows
// it: the
// name's own field is folded away.
import { isNowhere } from "../../core/focus-fallback.js";

let isNaming = false;
let isKeyed = false; // who goes through the choices by key is passing by, and Tab leads on to the name
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
  if (isNaming && isNowhere())
    /** @type {HTMLElement | null} */ (document.querySelector("#stage-form [name=agent_id]"))?.focus();
});
