// The name of a stage that has just been added: its field in the inspector, ready for what is typed. Enter keeps it,
// Escape leaves the one it has, and both go back to the card.
import { submit } from "./gestures.js";
import { nextOf } from "./writing.js";

/** @typedef {import("./press.js").Page} Page */

/** Have the stage that comes next named. @param {Page} page @param {Promise<boolean>} coming */
export async function nameNext({ canvas }, coming) {
  const key = await nextOf("stage", coming);
  if (!key) return;
  // The inspector is asked to show it already: once that is answered, only one that did not is asked again.
  await submit("select", { kind: "stage", key }, () => !fieldOf(key));
  const field = fieldOf(key);
  const card = canvas.elementOf(`stage-${key}`);
  if (!field || document.activeElement !== card) return;
  field.focus();
  field.select();
  let told = false;
  field.addEventListener("change", () => (told = true));
  field.addEventListener("keydown", (event) => {
    const { key: pressed, isComposing } = event;
    if (isComposing || !["Enter", "Escape"].includes(pressed)) return;
    event.preventDefault();
    event.stopPropagation();
    if (pressed === "Escape") field.value = key;
    const form = /** @type {HTMLFormElement} */ (field.form);
    if (field.value !== key) form.addEventListener("htmx:afterRequest", ({ detail: { xhr } }) => back(xhr.status < 400), { once: true });
    const back = (accepted) => (accepted ? canvas.elementOf(`stage-${fieldNow()?.value ?? key}`) : fieldNow())?.focus({ preventScroll: true });
    canvas.elementOf(`stage-${key}`)?.focus({ preventScroll: true });
    if (field.value !== key && !told) field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

/** @returns {HTMLInputElement | null} */
const fieldNow = () => document.querySelector("#stage-form [name=phase]");

/** The field of a stage's name, where the inspector shows it, whatever is typed in it already. @param {string} phase */
const fieldOf = (phase) => (fieldNow()?.defaultValue === phase ? fieldNow() : null);
