// From afar a card has no room for its phase: of the one that is pointed at or has the focus it is told, as large as
// ever.

/** @typedef {import("../editor/gestures/gesture-start.js").Page} Page */

const GAP = 6;
const tip = Object.assign(document.createElement("p"), { className: "tip", hidden: true });
Object.assign(tip.style, { inset: "0 auto auto 0", margin: "0", maxWidth: "90%" });
tip.setAttribute("aria-hidden", "true"); // a card's own name says more

/** Tell from now on, and of the card that this event is about. @param {Page} page @param {Event} first */
export function tellNames({ canvas: { element }, view }, first) {
  element.after(tip);
  /** @type {HTMLElement | null} */
  let told = null;

  const place = () => {
    if (!told?.matches(":hover, :focus-visible") || !("far" in element.dataset) || element.dataset.far === "titles")
      return (tip.hidden = true);
    tip.hidden = false;
    const [area, card] = [element.getBoundingClientRect(), told.getBoundingClientRect()];
    const most = area.width - tip.offsetWidth - GAP;
    const left = Math.max(GAP, Math.min(most, card.left - area.left + (card.width - tip.offsetWidth) / 2));
    const above = card.top - area.top - tip.offsetHeight - GAP;
    tip.style.translate = `${left}px ${above < GAP ? card.bottom - area.top + GAP : above}px`;
  };

  /** @param {EventTarget | null} target what is pointed at, or has the focus */
  const tell = (target) => {
    const { activeElement } = document;
    told = target instanceof Element ? target.closest(".stage") : null;
    if (!told && activeElement?.matches("#canvas .stage:focus-visible")) told = activeElement;
    // who answers may still be on the way
    const words = [told?.dataset.phase, told?.querySelector(".stage__agent")?.textContent];
    tip.textContent = words.filter(Boolean).join(" · ");
    place();
  };

  element.addEventListener("pointerover", ({ target, buttons }) => tell(buttons ? null : target));
  element.addEventListener("focusin", ({ target }) => tell(target));
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => tell(null));
  addEventListener("keydown", ({ key }) => key === "Escape" && tell(null));
  element.addEventListener("pointerdown", () => tell(null));
  new MutationObserver(place).observe(view.paper, { attributeFilter: ["style"] });
  tell(first.target);
}
