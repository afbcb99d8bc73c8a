// Completes the values of a field with one value per line from the suggestions of the field.
import { attachCompletions } from "./completion-list.js";
import { suggestionsOf } from "./known-values.js";

attachCompletions({
  has: isList,
  listOf(field) {
    const id = `${field.id}-values`;
    const list = document.getElementById(id) ?? makeList(id);
    if (!list.isConnected) field.after(list);
    if (!list.matches(":popover-open")) list.replaceChildren(...optionsFor(field, id));
    return list;
  },
  match(field, options, isRequested) {
    const [before, after] = [field.value.slice(0, field.selectionStart), field.value.slice(field.selectionEnd)];
    const typed = /[^\n,]*$/.exec(before)?.[0].trimStart() ?? "";
    if (/^[^\n,]/.test(after) || (!typed && !isRequested)) return null;
    const start = typed.toLowerCase();
    const names = options.map((option) => [option.dataset.insert ?? "", option.textContent ?? ""]);
    if (names.some(([name]) => name.toLowerCase() === start)) return null;
    const shown = options.filter((_, at) => names[at].some((name) => name.toLowerCase().startsWith(start)));
    return { shown, typed };
  },
});

/** @param {EventTarget | null} target @returns {target is HTMLTextAreaElement} */
function isList(target) {
  return target instanceof HTMLTextAreaElement && "list" in target.dataset;
}

/** @param {string} id */
function makeList(id) {
  const list = Object.assign(document.createElement("ul"), { id, className: "completions", role: "listbox" });
  list.setAttribute("aria-label", "Suggestions");
  list.popover = "manual";
  return list;
}

/** @param {HTMLTextAreaElement} field @param {string} id */
function optionsFor(field, id) {
  return (suggestionsOf(field) ?? []).map(({ value, label }, at) => {
    const option = Object.assign(document.createElement("li"), { id: `${id}-${at}`, role: "option" });
    option.setAttribute("aria-selected", "false");
    option.textContent = label;
    option.dataset.insert = value;
    return option;
  });
}
