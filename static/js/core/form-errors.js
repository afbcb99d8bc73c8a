// A form that was refused: which of its fields are in error, and the way to the first of them.

/** Every sentence about a field, with the field. @param {HTMLElement} form */
const told = (form) =>
  [...form.querySelectorAll(".field__error[id^='error-']")].map((error) => ({
    error: /** @type {HTMLElement} */ (error),
    field:
      document.getElementById(error.id.slice("error-".length)) ??
      error.closest(".field")?.querySelector("input, textarea, select"),
  }));

/** Have each field say whether it is in error. @param {HTMLElement} form */
export function mark(form) {
  for (const { error, field } of told(form)) field?.setAttribute("aria-invalid", `${!error.hidden}`);
}

/** The sentences that stand there now, with their fields. @param {HTMLElement} form */
export const toldOf = (form) => told(form).filter(({ error }) => !error.hidden);

/** Go to the first field in error, wherever it is folded away. @param {HTMLElement} form */
export function lead(form) {
  const [first] = toldOf(form);
  if (first) goTo(first.field, first.error);
}

/**
 * Go to a field, wherever it is folded away.
 * @param {HTMLElement | null | undefined} field
 * @param {HTMLElement} [error] the sentence about it
 */
export function goTo(field, error = document.getElementById(`error-${field?.id}`) ?? field) {
  for (let fold = (field ?? error)?.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  field?.focus({ preventScroll: true });
  error?.scrollIntoView({ block: "nearest" });
  (field?.closest(".field") ?? error)?.scrollIntoView({ block: "nearest" }); // with its label
}
