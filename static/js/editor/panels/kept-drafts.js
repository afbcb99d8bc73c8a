// A routing rule that is half written, and what was written into the outline's forms, outlive a sign-in as well: they
// stand
// there again, and are sent when their writer sends them.
import { announce } from "../../core/notice.js";

const KEPT = "baton:drafts";
const OF_THE_PAGE = /^(csrfmiddlewaretoken|form_token|rule|open_rule|.*_FORMS)$/;
const ROWS = "comparison-TOTAL_FORMS";

/** The form of a rule that is open. @returns {HTMLFormElement | null} */
const open = () => document.querySelector("#rule-form > form");

/** Keep them while the page is left. */
export function keep() {
  const rule = open()?.matches("[data-typed]") ? [...new FormData(/** @type {HTMLFormElement} */ (open()))] : null;
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll("#outline [data-once] :is(input:not([type=hidden]), select)")
  );
  const outline = [...fields].filter(({ value }) => value).map(({ id, value }) => [id, value]);
  sessionStorage.setItem(KEPT, JSON.stringify([location.pathname, rule, outline]));
}

/** They stand there again. */
export async function restore() {
  const [where, rule, outline] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  if (where !== location.pathname) return;
  sessionStorage.removeItem(KEPT);
  for (const [id, value] of outline) {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    if (!field) continue;
    field.value = value;
    if (field.matches("input")) field.closest("details")?.setAttribute("open", "");
  }
  if (rule) await write(Object.fromEntries(rule));
}

/** Write a rule again, in a form with as many comparisons. @param {Record<string, string>} values */
async function write(values) {
  const of =
    (values.rule && document.getElementById(`rule-change-${values.rule}`)) || document.getElementById("new-rule");
  if (!of) return;
  await press(of);
  for (let rows = count(); rows !== Number(values[ROWS] ?? 0); rows = count()) {
    const buttons = open()?.querySelectorAll(rows < Number(values[ROWS]) ? "[name=add_row]" : "[name=take_off]") ?? [];
    await press(/** @type {HTMLElement} */ (buttons[buttons.length - 1]));
    if (count() === rows) break;
  }
  const fields = open()?.elements ?? {};
  for (const [name, value] of Object.entries(values)) {
    const field = OF_THE_PAGE.test(name) ? null : fields[name];
    if (field?.matches(`select:not(:has([value="${CSS.escape(value)}"]))`)) field.append(new Option(value, value));
    if (field) field.value = value;
  }
  fields["id"]?.dispatchEvent(new Event("input", { bubbles: true }));
  announce("The rule is here as you wrote it, and not saved yet.");
}

/** How many comparisons the form has. */
const count = () => Number(/** @type {HTMLInputElement | undefined} */ (open()?.elements[ROWS])?.value ?? 0);

/** Press a button, until its answer is there. @param {HTMLElement} button */
const press = (button) =>
  new Promise((done) => {
    const answered = ({ detail }) => {
      if (detail.requestConfig?.elt !== button) return;
      document.body.removeEventListener("htmx:afterRequest", answered);
      done(undefined);
    };
    document.body.addEventListener("htmx:afterRequest", answered);
    button.click();
  });
