// Browser notifications about conversations that wait for a human, if the user switched them on in this browser.

const KEY = "baton:notifications";
const isSupported = "Notification" in window;

/** Report whether this browser notifies the user. */
export const areOn = () => isSupported && Notification.permission === "granted" && localStorage[KEY] === "on";

/**
 * The text of a notification after the number of waiting conversations changed; null if no more of them wait.
 * @param {number} before
 * @param {number} now
 * @returns {string | null}
 */
export function noticeOf(before, now) {
  if (now <= before) return null;
  return now === 1 ? "A conversation waits for a human." : `${now} conversations wait for a human.`;
}

/** The number of waiting conversations that a link to the inbox shows. @param {Element | null} link */
export function countIn(link) {
  return Number(link?.querySelector("b")?.textContent ?? 0);
}

const link = () => /** @type {HTMLAnchorElement | null} */ (document.getElementById("inbox-link"));
let shown = countIn(link());

document.body.addEventListener("baton:waiting", ({ detail }) => {
  const text = noticeOf(shown, detail.count);
  shown = detail.count;
  if (!text || !areOn()) return;
  // Several tabs show one notification, because it has the same tag.
  const notification = new Notification("Baton", { body: text, tag: "baton-inbox" });
  notification.addEventListener("click", () => {
    window.focus();
    link()?.click();
  });
});

const button = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-notifications]"));
const help = document.getElementById("notifications-help");

if (button && isSupported) {
  button.hidden = false;
  show();
  button.addEventListener("click", async () => {
    if (areOn()) localStorage[KEY] = "off";
    else if ((await Notification.requestPermission()) === "granted") localStorage[KEY] = "on";
    show();
  });
}

/** Show the state of the notifications. */
function show() {
  button?.setAttribute("aria-pressed", String(areOn()));
  if (!help) return;
  const isBlocked = Notification.permission === "denied";
  help.textContent = isBlocked
    ? "Notifications are blocked: allow them for this site in the settings of the browser."
    : areOn()
      ? "This browser notifies you while a page of Baton is open."
      : "";
}
