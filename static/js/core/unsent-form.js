// What was typed into a form of a whole page outlives a sign-in, or a page that was too old to be sent: it stands in
// its form
// again once that is back, and is sent when its writer sends it. Passwords, keys and files are not kept.
import { notify } from "./notice.js";

const KEPT = "baton:unsent";
const FIELDS = "textarea, select, input:not([type=hidden], [type=password], [type=file])";

/** @param {HTMLFormElement} form @returns {any[]} */
const fieldsOf = (form) => [...form.elements].filter((field) => field.matches(FIELDS));

/** Which form it is: by where it is sent, and what it asks for. @param {HTMLFormElement} form */
const nameOf = (form) =>
  [new URL(form.getAttribute("action") ?? "", location.href).pathname, ...fieldsOf(form).map(({ name }) => name)].join(
    " ",
  );

addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented || form.method !== "post" || form.closest(".sign-in")) return;
  const values = fieldsOf(form).map(({ value, checked }) => [value, checked]);
  if (values.length) put({ form: nameOf(form), values });
});

const kept = JSON.parse(sessionStorage[KEPT] ?? "null");
if (document.querySelector("[data-refused], .sign-in ~ #notice [data-level=warning]"))
  kept && put({ ...kept, isRefused: true });
else if (!kept?.isRefused)
  sessionStorage.removeItem(KEPT); // it was sent
else restore(kept);

/** @param {object} what was sent */
function put(what) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(what));
  } catch {
    // Without storage, or where it is full, it is lost with the page.
  }
}

/** @param {{form: string, values: [string, boolean][]}} kept */
function restore({ form: name, values }) {
  const form = [...document.forms].find((form) => form.method === "post" && nameOf(form) === name);
  if (!form) return;
  sessionStorage.removeItem(KEPT);
  const fields = fieldsOf(form);
  values.forEach(([value, checked], at) => {
    Object.assign(fields[at], /radio|checkbox/.test(fields[at].type) ? { checked } : { value });
    fields[at].dispatchEvent(new Event("input", { bubbles: true }));
  });
  const dialog = form.closest("dialog");
  if (dialog && !dialog.open) dialog.showModal();
  (fields.find((field) => field.matches("[autofocus]")) ?? fields[0]).focus();
  notify("What you typed is here again, and was not sent yet.", "warning");
}
