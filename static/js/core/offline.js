// Whether the server cannot be reached, as connection.js has found out.
import { announce } from "./notice.js";

/** Whether the server cannot be reached. */
export const isOffline = () => document.documentElement.hasAttribute("data-offline");

/** Whether a change is refused because the server cannot be reached; it is announced. */
export function refusedOffline() {
  if (isOffline()) announce("Offline: nothing can be changed until the server is reached again.");
  return isOffline();
}
