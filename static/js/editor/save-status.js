// The save state of all forms of the editor, in one place: "Saved", "Saving…", or "Not saved" with the fields.

const FORMS = "#inspector form, #inspector button, #rule-form form";
const { body } = document;
const inspector = /** @type {HTMLElement} */ (document.getElementById("inspector"));
let saving = 0;

/** The form of a routing rule. @returns {HTMLElement | null} */
const ruleForm = () => document.querySelector("#rule-form > form");

/** The text of the state, and whether something is refused. @returns {[string, boolean]} */
function state() {
  if (saving) return ["Saving…", false];
  if (document.querySelector("#merge [name=merge]")) return ["Not saved", true]; // a decision is due
  const outcome = document.getElementById("save-state");
  const text = outcome?.textContent?.trim().replace(/\s+/g, " ") ?? "";
  const rule = ruleForm();
  const isWritten = document.querySelector(".writing [data-typed]") !== null; // a note, title or name on the canvas
  const isTyped = isWritten || inspector.matches("[data-typed]") || rule?.matches("[data-typed]");
  if (document.querySelector(".writing [aria-invalid=true]")) return ["Not saved", true];
  if (outcome?.matches(".field__error")) return [text === "Not saved" ? `Not saved${fieldsOf(inspector)}` : text, true];
  if (rule?.matches("[data-refused]")) return [`Not saved${fieldsOf(rule)}`, true];
  if (outcome?.matches("[data-back]") && isTyped) return [`${text}, what you typed is not saved`, false];
  if (text && !text.startsWith("Saved")) return [text, false];
  return [isTyped ? "Not saved yet" : text || "Saved", false];
}

/** The labels of the fields in error. @param {HTMLElement} form */
function fieldsOf(form) {
  const labels = [...form.querySelectorAll(".field:has(> .field__error:not([hidden])) :is(label, legend)")];
  const first = labels.filter((label) => label.closest(".field")?.querySelector("label, legend") === label);
  const names = [...new Set(first.map(({ textContent }) => textContent?.trim().replace(/\s+/g, " ")))];
  if (!names.length) return "";
  const more = names.length > 2 ? ` and ${names.length - 2} more` : "";
  return `: ${names.slice(0, 2).join(", ")}${more}`;
}

let scheduled = false;

/** Show the state after the other listeners of this moment. */
function update() {
  if (scheduled) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    const shown = document.getElementById("save-status");
    if (!shown) return;
    const [text, isRefused] = state();
    if (shown.title !== text) shown.title = shown.textContent = text;
    shown.toggleAttribute("data-refused", isRefused);
  });
}

const isSave = ({ elt, requestConfig }) => requestConfig.verb === "post" && elt.matches(FORMS);

body.addEventListener("htmx:beforeSend", ({ detail }) => {
  if (!isSave(detail)) return;
  saving += 1;
  detail.xhr.addEventListener("loadend", () => {
    saving -= 1;
    update();
  });
  update();
});
for (const name of ["input", "change", "focusout"]) document.addEventListener(name, update);
const observer = new MutationObserver(update);
observer.observe(inspector, { attributeFilter: ["data-typed"] });
observer.observe(body, { attributeFilter: ["aria-invalid"], subtree: true }); // refused without a request if offline
for (const name of ["htmx:afterSettle", "htmx:oobAfterSwap", "htmx:afterRequest"]) body.addEventListener(name, update);
update();
