// Knows whether the server can be reached. While it cannot, one banner says so, and the page tries to reach it again.
import { notify } from "./notice.js";
import { isOffline } from "./offline.js";

const HTMX_RECONNECTS = [1006, 1011, 1012, 1013]; // codes of a socket that was lost
const SETTLE = 400; // milliseconds in which a lost socket may reconnect unnoticed
const [FIRST, MOST] = [1000, 10_000]; // milliseconds between two attempts

const { body, documentElement: root } = document;
const banner = /** @type {HTMLElement} */ (document.getElementById("offline"));
let [timer, settling, delay] = [0, 0, FIRST];

/** Show the banner, and try to reach the server from time to time. @param {string} [loss] what was not saved */
function goOffline(loss = "") {
  if (loss) /** @type {HTMLElement} */ (banner.querySelector("[data-loss]")).textContent = loss;
  if (isOffline()) return;
  root.setAttribute("data-offline", "");
  banner.hidden = false;
  delay = FIRST;
  schedule();
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(attempt, delay);
  delay = Math.min(MOST, delay * 2);
}

/** Request a small file of the server. Its sockets reconnect by themselves. */
async function attempt() {
  clearTimeout(timer);
  banner.setAttribute("aria-busy", "true");
  try {
    const { href } = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
    await fetch(href, { method: "HEAD", cache: "no-store" });
    goOnline();
  } catch {
    schedule();
  }
  banner.removeAttribute("aria-busy");
}

function goOnline() {
  clearTimeout(settling);
  if (!isOffline()) return;
  clearTimeout(timer);
  root.removeAttribute("data-offline");
  banner.hidden = true;
  /** @type {HTMLElement} */ (banner.querySelector("[data-loss]")).textContent = "";
  body.dispatchEvent(new Event("baton:online"));
}

/** Keep a form that would load another page, with its input: the browser would show its own error page instead. */
function holdPageForm(event) {
  const isOfPage = event.target.matches(":not([hx-post], [hx-get], [ws-send], [method=dialog])");
  if (!isOffline() || !isOfPage) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  notify("Offline: this was not sent. Send it again once the server is reached.", "warning");
}

addEventListener("submit", holdPageForm, true);
addEventListener("offline", () => goOffline());
addEventListener("online", attempt);
if (!navigator.onLine) goOffline(); // since before this module came
banner.querySelector("button")?.addEventListener("click", attempt);
body.addEventListener("htmx:sendError", ({ detail: { elt, requestConfig } }) => {
  if (requestConfig.verb === "get" || elt.matches("[data-reads]")) return goOffline(); // nothing was to be saved
  const isKept = elt.matches("#inspector form, [data-saves-itself]"); // forms that are sent again
  goOffline(`Your last change ${isKept ? "is kept, and saved once the server is reached" : "was not saved"}.`);
});
body.addEventListener("htmx:wsOpen", goOnline);
body.addEventListener("htmx:wsClose", ({ detail }) => {
  clearTimeout(settling);
  if (HTMX_RECONNECTS.includes(detail.event.code)) settling = setTimeout(goOffline, SETTLE);
});
// A page that is left closes its socket.
addEventListener("pagehide", () => clearTimeout(settling));
