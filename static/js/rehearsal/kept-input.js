// Texts typed into a dialog about one of many messages: each message keeps its text until it is sent, however the
// dialog closes.

/**
 * Keep the texts of a dialog's field by message.
 * @param {HTMLTextAreaElement} field
 * @param {() => string} message the message that the dialog is about now
 * @returns {(message: string) => string | undefined} the kept text of a message
 */
export function keepTexts(field, message) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  field.addEventListener("input", ({ isTrusted }) => isTrusted && texts.set(message(), field.value));
  field.form?.addEventListener("submit", () => texts.delete(message()));
  return (message) => texts.get(message);
}
