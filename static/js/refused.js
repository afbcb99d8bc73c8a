// A form that was refused: which of its fields are in error, and the way to the first of them.

/** Every sentence about a field, with the field. @param {HTMLElement} form */
const told = (form) =>
  [...form.querySelectorAll(".field__error[id^='error-']")].map((error) => ({
    error: /** @type {HTMLElement} */ (error),
    field: document.getElementById(error.id.slice("error-".length)) ?? error.closest(".field")?.querySelector("input, textarea, select"),
  }));

/** Have each field say whether it is in error. @param {HTMLElement} form */
export function mark(form) {
  for (const { error, field } of told(form)) field?.setAttribute("aria-invalid", `${!error.hidden}`);
}

/** Go to the first field in error, wherever it is folded away. @param {HTMLElement} form */
export function lead(form) {
  const first = told(form).find(({ error }) => !error.hidden);
  if (!first) return;
  for (let fold = first.error.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  first.field?.focus({ preventScroll: true });
  first.error.scrollIntoView({ block: "nearest" });
  (first.field?.closest(".field") ?? first.error).scrollIntoView({ block: "nearest" }); // with its label
}
