// The fields of a rejected form that are in error, and the way to the first of them.

/** Every error message with its field. @param {HTMLElement} form */
const messagesOf = (form) =>
  [...form.querySelectorAll(".field__error[id^='error-']")].map((error) => ({
    error: /** @type {HTMLElement} */ (error),
    field:
      document.getElementById(error.id.slice("error-".length)) ??
      error.closest(".field")?.querySelector("input, textarea, select"),
  }));

/** Mark the fields in error for screen readers. @param {HTMLElement} form */
export function mark(form) {
  for (const { error, field } of messagesOf(form)) field?.setAttribute("aria-invalid", `${!error.hidden}`);
}

/** The visible error messages with their fields. @param {HTMLElement} form */
export const errorsOf = (form) => messagesOf(form).filter(({ error }) => !error.hidden);

/** Go to the first field in error. @param {HTMLElement} form */
export function goToFirst(form) {
  const [first] = errorsOf(form);
  if (first) goTo(first.field, first.error);
}

/**
 * Focus a field and scroll to it, opening the details around it.
 * @param {HTMLElement | null | undefined} field
 * @param {HTMLElement} [error] its error message
 */
export function goTo(field, error = document.getElementById(`error-${field?.id}`) ?? field) {
  let details = (field ?? error)?.closest("details");
  for (; details; details = details.parentElement?.closest("details") ?? null) details.open = true;
  field?.focus({ preventScroll: true });
  error?.scrollIntoView({ block: "nearest" });
  (field?.closest(".field") ?? error)?.scrollIntoView({ block: "nearest" }); // with its label
}
