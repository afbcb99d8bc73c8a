// The view of a difference: n and p step through the changes, [ and ] switch the drawn side, and the canvas zooms.
// In Versions, Ctrl+S saves a version as in Design.
// The state is in the page, because htmx replaces the view when other sides are chosen.

const OVERVIEW = 0.3; // scale below which names are too small to read and are hidden
const LARGEST = 2;

/** The view of the page, or of the dialog that is open. */
const view = () =>
  [...document.querySelectorAll("[data-difference]")]
    .map((root) => /** @type {HTMLElement} */ (root))
    .find((root) => root.checkVisibility()) ?? null;

/** @param {HTMLElement} root */
const canvasOf = (root) => /** @type {HTMLElement} */ (root.querySelector(".difference__canvas"));

/** @param {HTMLElement} root */
const svgOf = (root) => /** @type {SVGSVGElement} */ (root.querySelector(".difference__canvas > svg"));

/** @param {HTMLElement} root @returns {HTMLAnchorElement[]} the links of the changes */
const rowsOf = (root) => [...root.querySelectorAll("[data-row]")].map((row) => /** @type {HTMLAnchorElement} */ (row));

/** @param {HTMLElement} root */
const scaleOf = (root) => Number(svgOf(root).getAttribute("width")) / svgOf(root).viewBox.baseVal.width;

/** The scale that shows the whole drawing. @param {HTMLElement} root */
function fitting(root) {
  const { width, height } = svgOf(root).viewBox.baseVal;
  const canvas = canvasOf(root);
  return Math.min(1, canvas.clientWidth / width, canvas.clientHeight / height);
}

/** Zoom, and keep the middle. @param {HTMLElement} root @param {number} wanted */
function zoom(root, wanted) {
  const canvas = canvasOf(root);
  const svg = svgOf(root);
  const { width, height } = svg.viewBox.baseVal;
  const scale = Math.min(LARGEST, Math.max(wanted, Math.min(0.05, fitting(root))));
  const ratio = scale / scaleOf(root);
  const [x, y] = [canvas.scrollLeft + canvas.clientWidth / 2, canvas.scrollTop + canvas.clientHeight / 2];
  svg.setAttribute("width", String(Math.floor(width * scale)));
  svg.setAttribute("height", String(Math.floor(height * scale)));
  svg.classList.toggle("is-overview", scale < OVERVIEW);
  canvas.scrollTo(x * ratio - canvas.clientWidth / 2, y * ratio - canvas.clientHeight / 2);
}

/** Scroll a part of the drawing to the middle. @param {HTMLElement} root @param {Element | null | undefined} part */
function center(root, part) {
  if (!part) return;
  const [box, area] = [part.getBoundingClientRect(), canvasOf(root).getBoundingClientRect()];
  canvasOf(root).scrollBy(
    box.x + box.width / 2 - area.x - area.width / 2,
    box.y + box.height / 2 - area.y - area.height / 2,
  );
}

/** The parts of the drawing that a change marks. @param {HTMLElement} root @param {string} [number] */
const partsOf = (root, number) => [...svgOf(root).querySelectorAll(`[data-change="${number}"]`)];

/** Mark a change in the table and on the canvas. @param {HTMLElement} root @param {HTMLAnchorElement} [link] */
function show(root, link) {
  if (!link) return;
  for (const row of root.querySelectorAll("tr[aria-current]")) row.removeAttribute("aria-current");
  const row = link.closest("tr");
  row?.setAttribute("aria-current", "true");
  if (row?.nextElementSibling?.matches(".difference__values"))
    row.nextElementSibling.querySelector("details")?.setAttribute("open", "");
  for (const part of svgOf(root).querySelectorAll(".is-current")) part.classList.remove("is-current");
  const parts = partsOf(root, link.dataset.row);
  for (const part of parts) part.classList.add("is-current");
  const rows = rowsOf(root);
  const text = root.querySelector("[data-step-text]");
  if (text) text.textContent = `Change ${rows.indexOf(link) + 1} of ${rows.length}`;
  if (!root.closest("dialog")) history.replaceState(history.state, "", `#change-${link.dataset.row}`);
  if (svgOf(root).classList.contains("is-overview")) zoom(root, firstScale(root));
  center(root, parts.at(-1));
}

/** @param {HTMLElement} root @param {number} by 1 or -1 */
function step(root, by) {
  const rows = rowsOf(root);
  if (!rows.length) return;
  const current = rows.findIndex((row) => row.closest("tr")?.hasAttribute("aria-current"));
  const next = current < 0 && by < 0 ? rows.length - 1 : (current + by + rows.length) % rows.length;
  show(root, rows[next]);
  rows[next].focus({ preventScroll: true });
  rows[next].scrollIntoView({ block: "nearest" });
}

/** Draw one side, or both if it is drawn alone already. @param {HTMLElement} root @param {string} side */
function choose(root, side) {
  const chosen = /** @type {HTMLInputElement} */ (root.querySelector('[name="side"]:checked'));
  const wanted = chosen.value === side ? "both" : side;
  /** @type {HTMLInputElement} */ (root.querySelector(`[name="side"][value="${wanted}"]`)).checked = true;
}

/** The scale of the first view, at which texts are readable. @param {HTMLElement} root */
const firstScale = (root) => Number(svgOf(root).dataset.scale);

/** Show the texts of a large drawing that are in view or near to it. @param {HTMLElement} root */
function showTexts(root) {
  if (!svgOf(root).classList.contains("is-large")) return;
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) target.classList.toggle("is-near", isIntersecting);
    },
    { root: canvasOf(root), rootMargin: "200px" },
  );
  for (const part of svgOf(root).querySelectorAll(".difference-card, .difference-label")) near.observe(part);
}

/** Show everything if it is readable then, otherwise the linked or the first change. */
export function open() {
  const root = view();
  if (!root || root.dataset.opened) return;
  root.dataset.opened = "true";
  showTexts(root);
  const whole = fitting(root);
  if (whole > firstScale(root)) zoom(root, whole);
  const rows = rowsOf(root);
  const linked = rows.find((row) => `#change-${row.dataset.row}` === location.hash);
  if (linked) show(root, linked);
  else if (whole < firstScale(root))
    center(root, root.querySelector("svg [data-change]") ?? root.querySelector(".difference-card"));
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const root = view();
  if (!root?.contains(target)) return;
  const button = /** @type {HTMLElement | null} */ (target.closest("[data-step], [data-zoom], [data-row]"));
  if (button?.dataset.step) step(root, Number(button.dataset.step));
  else if (button?.dataset.zoom) {
    const scale = scaleOf(root);
    zoom(root, { in: scale * 1.25, out: scale / 1.25 }[button.dataset.zoom] ?? fitting(root));
  } else if (button instanceof HTMLAnchorElement) {
    event.preventDefault();
    show(root, button);
  }
  const part = /** @type {SVGElement | null} */ (target.closest("[data-change]"));
  const row = part && rowsOf(root).find((each) => each.dataset.row === part.dataset.change);
  if (!row) return;
  show(root, row);
  row.scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  const save = document.getElementById("save-version");
  if (save && (event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    save.click();
    return;
  }
  const target = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input:not([type=radio]), select, textarea"))
    return;
  const root = view();
  const actions = {
    n: () => root && step(root, 1),
    p: () => root && step(root, -1),
    "[": () => root && choose(root, "before"),
    "]": () => root && choose(root, "after"),
  };
  const action = actions[/** @type {keyof typeof actions} */ (event.key)];
  if (!action || !root) return;
  event.preventDefault();
  action();
});

document.addEventListener("htmx:afterSwap", open);
open();
