// Sends gestures: fills in the form that the template rendered for a gesture, and submits it. Gestures wait for each
// other. While the server cannot be reached, none is accepted.
import { refusedOffline } from "../core/offline.js";

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** The rendered values of the fields, for fields without a value in a gesture. */
const initial = new WeakMap();

/** @typedef {Record<string, string | number>} Fields */

/**
 * Submit a gesture once the gestures before it are answered, because each carries the version that the last one made.
 * @param {string} name the form is `gesture-<name>`
 * @param {Fields | (() => Fields)} [fields] a function is called when its turn comes
 * @param {() => boolean} [isNeeded] asked when its turn comes: whether it is still to be sent
 * @returns {Promise<boolean>} whether the server accepted it
 */
export function submit(name, fields, isNeeded = () => true) {
  const answer = last.then(() => isNeeded() && !refusedOffline() && send(name, fields));
  last = answer;
  return answer;
}

/** @param {string} name @param {Fields | (() => Fields)} fields @returns {Promise<boolean>} */
function send(name, fields = {}) {
  if (typeof fields === "function") fields = fields();
  const form = document.getElementById(`gesture-${name}`);
  if (!(form instanceof HTMLFormElement)) return Promise.resolve(false);
  for (const input of /** @type {Iterable<HTMLInputElement>} */ (form.elements)) {
    if (!initial.has(input)) initial.set(input, input.value);
    input.value = String(fields[input.name] ?? initial.get(input));
  }
  return new Promise((resolve) => {
    form.addEventListener(
      "htmx:afterRequest",
      ({ detail: { successful, xhr } }) => resolve(successful && xhr.status < 400),
      { once: true },
    );
    form.requestSubmit();
  });
}
