// Where the focus goes when what had it is gone: never nowhere.

/** Whether nothing that can be seen has the focus. */
export const isNowhere = () =>
  !document.activeElement || document.activeElement === document.body || !document.activeElement.checkVisibility();

/**
 * Give the focus to the first of some elements that can be seen; else to what can be done with the conversation.
 * @param {(Element | null | undefined)[]} wanted
 */
export function land(...wanted) {
  const others = ["#steering button", "#tab-trace", ".sheets [aria-pressed=true]"].flatMap((one) => [
    ...document.querySelectorAll(one),
  ]);
  const seen = [...wanted, ...others].find((one) => one?.checkVisibility());
  /** @type {HTMLElement | undefined} */ (seen)?.focus();
}
