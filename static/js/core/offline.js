// State of an unreachable server, as detected by connection.js, and modules that were lost meanwhile.
import { announce } from "./notice.js";

/** Report whether the server cannot be reached. */
export const isOffline = () => document.documentElement.hasAttribute("data-offline");

/** Report, and announce, whether a change is refused because the server cannot be reached. */
export function refusedOffline() {
  if (isOffline()) announce("Offline: nothing can be changed until the server is reached again.");
  return isOffline();
}

/** Repeated imports, by the address that failed. @type {Record<string, Promise<any>>} */
const repeated = {};

/**
 * Return an imported module. A failed import is repeated at another address, because Chromium remembers the failure of
 * the first one until the page is reloaded.
 * @template T
 * @param {Promise<T>} coming
 * @returns {Promise<T>}
 */
export const load = (coming) =>
  coming.catch((error) => {
    const [url] = /http\S+js/.exec(error) ?? [];
    if (!url) throw error;
    return (repeated[url] ??= import(`${url}?${Date.now()}`).catch((again) => {
      delete repeated[url]; // the next use tries again
      throw again;
    }));
  });
