// Name tips: at a small scale cards have no room for their names, so the hovered or focused card gets a readable tip.

/** @typedef {import("./commands/command.js").Page} Page */

const GAP = 6;
const tip = Object.assign(document.createElement("p"), { className: "tip", hidden: true });
Object.assign(tip.style, { inset: "0 auto auto 0", margin: "0", maxWidth: "90%" });
tip.setAttribute("aria-hidden", "true"); // the accessible name of a card says more

/** Show tips from now on, beginning with the card of an event. @param {Page} page @param {Event} first */
export function showTips({ canvas: { element }, view }, first) {
  element.after(tip);
  /** @type {HTMLElement | null} */
  let card = null;

  const place = () => {
    if (!card?.matches(":hover, :focus-visible") || !("far" in element.dataset) || element.dataset.far === "titles")
      return (tip.hidden = true);
    tip.hidden = false;
    const [area, box] = [element.getBoundingClientRect(), card.getBoundingClientRect()];
    const most = area.width - tip.offsetWidth - GAP;
    const left = Math.max(GAP, Math.min(most, box.left - area.left + (box.width - tip.offsetWidth) / 2));
    const above = box.top - area.top - tip.offsetHeight - GAP;
    tip.style.translate = `${left}px ${above < GAP ? box.bottom - area.top + GAP : above}px`;
  };

  /** @param {EventTarget | null} target the hovered or focused element */
  const show = (target) => {
    const { activeElement } = document;
    card = target instanceof Element ? target.closest(".stage") : null;
    if (!card && activeElement?.matches("#canvas .stage:focus-visible")) card = activeElement;
    // The name of the agent may not be in the card yet.
    const words = [card?.dataset.phase, card?.querySelector(".stage__agent")?.textContent];
    tip.textContent = words.filter(Boolean).join(" · ");
    place();
  };

  element.addEventListener("pointerover", ({ target, buttons }) => show(buttons ? null : target));
  element.addEventListener("focusin", ({ target }) => show(target));
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => show(null));
  addEventListener("keydown", ({ key }) => key === "Escape" && show(null));
  element.addEventListener("pointerdown", () => show(null));
  new MutationObserver(place).observe(view.background, { attributeFilter: ["style"] });
  show(first.target);
}
