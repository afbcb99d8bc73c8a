// The view of a difference: n and p step through the changes, [ and ] switch the drawn side, and the canvas zooms.

const difference = document.querySelector("[data-difference]");
if (difference instanceof HTMLElement) start(difference);

/** @param {HTMLElement} root the view */
function start(root) {
  const canvas = /** @type {HTMLElement} */ (root.querySelector(".difference__canvas"));
  const svg = /** @type {SVGSVGElement} */ (canvas.querySelector("svg"));
  const rows = /** @type {HTMLAnchorElement[]} */ ([...root.querySelectorAll("[data-row]")]);
  const text = root.querySelector("[data-step-text]");
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number);
  const READABLE = 0.6; // scale at which the names on cards are readable
  let current = -1;

  const fitting = () => Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  const scale = () => (root.dataset.zoomed ? Number(root.dataset.zoomed) : fitting());

  /** @param {number} wanted scale; 0 to fit */
  function zoom(wanted) {
    const [x, y] = [canvas.scrollLeft + canvas.clientWidth / 2, canvas.scrollTop + canvas.clientHeight / 2];
    const ratio = wanted / scale();
    if (!wanted) {
      delete root.dataset.zoomed;
      return;
    }
    const limited = Math.min(2, Math.max(wanted, Math.min(0.05, fitting())));
    root.dataset.zoomed = String(limited);
    svg.setAttribute("width", String(Math.round(width * limited)));
    svg.setAttribute("height", String(Math.round(height * limited)));
    canvas.scrollTo(x * ratio - canvas.clientWidth / 2, y * ratio - canvas.clientHeight / 2);
  }

  /** Mark a change in the table and on the canvas. @param {number} index */
  function show(index) {
    if (!rows.length) return;
    current = (index + rows.length) % rows.length;
    const link = rows[current];
    for (const row of root.querySelectorAll("tr[aria-current]")) row.removeAttribute("aria-current");
    const row = link.closest("tr");
    row?.setAttribute("aria-current", "true");
    row?.nextElementSibling?.matches(".difference__values") &&
      row.nextElementSibling.querySelector("details")?.setAttribute("open", "");
    for (const part of svg.querySelectorAll(".is-current")) part.classList.remove("is-current");
    const parts = [...svg.querySelectorAll(`[data-change="${link.dataset.row}"]`)];
    for (const part of parts) part.classList.add("is-current");
    if (text) text.textContent = `Change ${current + 1} of ${rows.length}`;
    history.replaceState(history.state, "", `#change-${link.dataset.row}`);
    const shown = parts.at(-1);
    if (!shown) return;
    if (scale() < READABLE) zoom(READABLE);
    const [box, area] = [shown.getBoundingClientRect(), canvas.getBoundingClientRect()];
    canvas.scrollBy(
      box.x + box.width / 2 - area.x - area.width / 2,
      box.y + box.height / 2 - area.y - area.height / 2,
    );
  }

  /** @param {number} by 1 or -1 */
  function step(by) {
    show(current < 0 && by < 0 ? rows.length - 1 : current + by);
    rows[current]?.focus({ preventScroll: true });
    rows[current]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} side */
  function choose(side) {
    const radio = root.querySelector(`[name="side"][value="${side}"]`);
    if (radio instanceof HTMLInputElement) radio.checked = !radio.checked || side === "both";
    if (!root.querySelector('[name="side"]:checked')) choose("both");
  }

  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-step], [data-zoom], [data-row]"));
    if (button?.dataset.step) step(Number(button.dataset.step));
    else if (button?.dataset.zoom) zoom({ in: scale() * 1.25, out: scale() / 1.25 }[button.dataset.zoom] ?? 0);
    else if (button instanceof HTMLAnchorElement) {
      event.preventDefault();
      show(rows.indexOf(button));
    }
    const part = /** @type {SVGElement | null} */ (target.closest("[data-change]"));
    if (!part) return;
    show(rows.findIndex((row) => row.dataset.row === part.dataset.change));
    rows[current]?.scrollIntoView({ block: "nearest" });
  });

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input:not([type=radio]), select, textarea"))
      return;
    const actions = {
      n: () => step(1),
      p: () => step(-1),
      "[": () => choose("before"),
      "]": () => choose("after"),
    };
    const action = actions[/** @type {keyof typeof actions} */ (event.key)];
    if (!action) return;
    event.preventDefault();
    action();
  });

  const linked = rows.findIndex((row) => `#change-${row.dataset.row}` === location.hash);
  if (linked >= 0) show(linked);
}
