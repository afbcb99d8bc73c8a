// Sends gestures: fills a form that the template rendered and submits it, one after the other.
/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** What the template says in each field: what a gesture does not fill in is as if it were the first. */
const initial = new WeakMap();

/**
 * Submit a gesture's form once those before it are answered: each knows the version that the one before it left.
 * @param {string} name the form is `gesture-<name>`
 * @param {Record<string, string | number>} [fields]
 * @param {() => boolean} [may] asked when its turn has come: whether there is still something to send
 * @returns {Promise<boolean>} whether it was accepted
 */
export function submit(name, fields, may = () => true) {
  const answer = last.then(() => may() && send(name, fields));
  last = answer;
  return answer;
}

/** @param {string} name @param {Record<string, string | number>} fields @returns {Promise<boolean>} */
function send(name, fields = {}) {
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
