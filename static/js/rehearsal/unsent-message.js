// A message that is half written outlives a reload: it is kept in this tab, for who wrote it and for this conversation,
// or as
// the first of a pipeline's next one, until it is sent.

/**
 * Keep what is written in a field, with the message's own id: what came after all is not offered again.
 * @param {HTMLTextAreaElement} text
 * @param {HTMLInputElement} id
 * @returns {() => void} keeps what is there now
 */
export function keepHalfWritten(text, id) {
  const name = `half-written ${text.dataset.keptAs}`;
  const keep = () => {
    try {
      if (text.value.trim()) sessionStorage.setItem(name, JSON.stringify([text.value, id.value]));
      else sessionStorage.removeItem(name);
    } catch {
      // Without storage it is lost with the page.
    }
  };
  const [was, number] = kept(name);
  if (was && !text.value && !document.querySelector(`[data-message="${CSS.escape(number)}"]`)) {
    [text.value, id.value] = [was, number];
  }
  keep();
  text.addEventListener("input", keep);
  // The first message begins a conversation on a page of its own.
  if (text.form?.method === "post") text.form.addEventListener("submit", () => sessionStorage.removeItem(name));
  return keep;
}

/** @param {string} name @returns {[string, string]} */
function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? '["", ""]');
  } catch {
    return ["", ""];
  }
}
