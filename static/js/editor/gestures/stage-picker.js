// The list of agents and groups for a new stage: opens near the pointer, and is narrowed by typing.

import { refusedOffline } from "../../core/offline.js";

/** @typedef {{kind: string, agent: string, name: string}} Choice */

const MARGIN = 8;

/** End the choice in the list that is open. */
let abandon = () => {};

/**
 * Ask for the agent or group of a new stage.
 * @param {{clientX: number, clientY: number}} at place of the list
 * @returns {Promise<Choice | null>} null if nothing was chosen
 */
export function pick(at) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("picker"));
  const search = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
  const list = /** @type {HTMLElement} */ (dialog.querySelector("[role=listbox]"));
  abandon();
  offerAgents(list);
  search.value = "";
  narrow(list, search);
  if (dialog.open) dialog.close();
  dialog.showModal();
  search.focus();
  const { offsetWidth: width, offsetHeight: height, style } = dialog;
  style.left = `${Math.max(MARGIN, Math.min(at.clientX, innerWidth - width - MARGIN))}px`;
  style.top = `${Math.max(MARGIN, Math.min(at.clientY, innerHeight - height - MARGIN))}px`;

  return new Promise((resolve) => {
    const heard = new AbortController();
    const { signal } = heard;
    abandon = () => {
      heard.abort();
      resolve(null);
    };
    const take = (option) => {
      if (refusedOffline()) return; // the typed name stays
      const { kind = "agent", agent = "" } = option.dataset;
      resolve({ kind, agent, name: kind === "new" ? search.value.trim() : "" }); // before the next key
      dialog.close();
    };
    search.addEventListener("input", () => narrow(list, search), { signal });
    search.addEventListener(
      "keydown",
      (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const active = activeOf(list);
        if (step) mark(list, search, neighbour(list, active, step));
        else if (event.key === "Enter" && !event.isComposing) active && take(active);
        else return;
        event.preventDefault();
      },
      { signal },
    );
    // The focus stays in the field; the second click of a double click that opened the list chooses nothing.
    list.addEventListener("mousedown", (event) => event.preventDefault(), { signal });
    list.addEventListener(
      "click",
      (event) => {
        const option = /** @type {Element} */ (event.target).closest("[role=option]");
        if (option && event.detail < 2) take(option);
      },
      { signal },
    );
    // The event of a list that was opened again at once comes late.
    dialog.addEventListener("close", () => dialog.open || abandon(), { signal });
  });
}

/** Add an option for each agent of the left panel, before the groups. @param {HTMLElement} list */
function offerAgents(list) {
  for (const option of list.querySelectorAll("[data-agent]")) option.remove();
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll('#agents [data-select="agent"]')
  )) {
    const option = document.createElement("li");
    option.className = "quick__row";
    option.id = `pick-agent-${button.dataset.key}`;
    option.role = "option";
    Object.assign(option.dataset, { kind: "agent", agent: button.dataset.key });
    const avatar = button.querySelector(".avatar")?.cloneNode(true) ?? "";
    const name = document.createElement("span");
    name.className = "quick__title";
    name.textContent = button.querySelector("span")?.firstChild?.textContent ?? "";
    option.append(avatar, name);
    list.querySelector("#pick-group")?.before(option);
  }
}

/**
 * Report whether a new agent with the typed name comes first: always, unless the name of a kind of stage or of an
 * existing agent begins with it.
 * @param {string} typed
 * @param {string[]} names of the kinds and the existing agents
 */
export function isNewFirst(typed, names) {
  const start = typed.toLowerCase();
  return !names.some((name) => name.toLowerCase().startsWith(start));
}

/**
 * Show the options that match the typed text. A new agent with that name is always offered.
 * @param {HTMLElement} list
 * @param {HTMLInputElement} search
 */
function narrow(list, search) {
  const typed = search.value.trim();
  const words = typed.toLowerCase().split(/\s+/);
  const fresh = /** @type {HTMLElement} */ (list.querySelector("#pick-new"));
  const names = optionsOf(list).flatMap((option) => (option === fresh ? [] : titleOf(option)));
  if (typed && isNewFirst(typed, names)) list.prepend(fresh);
  else if (typed) list.append(fresh);
  else list.querySelector("#pick-agent")?.after(fresh);
  for (const option of optionsOf(list)) {
    const isNew = option === fresh;
    if (isNew)
      /** @type {Element} */ (option.querySelector("span")).textContent = typed
        ? `New agent “${typed}”`
        : "Stage with a new agent";
    const text = option.textContent?.toLowerCase() ?? "";
    option.hidden = !isNew && !words.every((word) => text.includes(word));
  }
  const shown = optionsOf(list).filter((option) => !option.hidden);
  const named = shown.find((option) => option !== fresh && titleOf(option).toLowerCase() === typed.toLowerCase());
  mark(list, search, named ?? shown[0]);
}

/** The name of a kind or an agent, without its explanation. @param {HTMLElement} option */
const titleOf = (option) => option.querySelector(".quick__title")?.textContent?.trim() ?? "";

/** @param {HTMLElement} list @param {HTMLInputElement} search @param {HTMLElement} active */
function mark(list, search, active) {
  for (const option of optionsOf(list)) option.setAttribute("aria-selected", String(option === active));
  search.setAttribute("aria-activedescendant", active.id);
  active.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} list @returns {HTMLElement[]} */
const optionsOf = (list) => [...list.querySelectorAll("[role=option]")];

/** @param {HTMLElement} list */
const activeOf = (list) => optionsOf(list).find((option) => option.getAttribute("aria-selected") === "true");

/**
 * The option `step` further, around the ends.
 * @param {HTMLElement} list
 * @param {HTMLElement | undefined} active
 * @param {number} step
 */
function neighbour(list, active, step) {
  const shown = optionsOf(list).filter((option) => !option.hidden);
  const at = active ? shown.indexOf(active) : -1;
  return shown[(at + step + shown.length) % shown.length];
}
