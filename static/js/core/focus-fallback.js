// Places for the focus when the focused element is removed.

/** Report whether no visible element has the focus. */
export const isFocusLost = () =>
  !document.activeElement || document.activeElement === document.body || !document.activeElement.checkVisibility();

/**
 * Focus the first visible one of some elements; otherwise a control of the conversation.
 * @param {(Element | null | undefined)[]} wanted
 */
export function focusFirst(...wanted) {
  const others = ["#steering button", "#tab-trace", ".sheets [aria-pressed=true]"].flatMap((one) => [
    ...document.querySelectorAll(one),
  ]);
  const seen = [...wanted, ...others].find((one) => one?.checkVisibility());
  /** @type {HTMLElement | undefined} */ (seen)?.focus();
}
