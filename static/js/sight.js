// What was opened of what the model sees stays open in what comes in its place.

/** @type {Map<string, boolean>} by what is shown, and where in it */
const known = new Map();
const place = ({ id }) => `${/** @type {HTMLInputElement | null} */ (document.querySelector("#inspector-state [name=select]"))?.value} ${id}`;

document.addEventListener("toggle", ({ target }) => target instanceof HTMLDetailsElement && target.id.startsWith("sees-") && known.set(place(target), target.open), true);
document.body.addEventListener("htmx:oobAfterSwap", () => {
  for (const details of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("#model-sees details[id]"))) {
    if (known.get(place(details)) && !details.open) details.open = true;
  }
});
