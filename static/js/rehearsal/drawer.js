// The chat of a rehearsal in the drawer of the editor: the composer and the socket, without canvas and panes.
import "./composer.js";
import "./socket-status.js";
import "./clock-times.js";
import "./feedback.js";
import "./waiting-time.js";
import "./variants.js";
import { foldCalls } from "./folded-calls.js";
import "../core/length-limits.js";
import { followEnd } from "./follow-end.js";

const log = document.getElementById("chat-log");
if (log) {
  foldCalls(log);
  followEnd(log);
  tellChecklist(log);
}

/** Let the checklist beside the drawer count the first message. @param {HTMLElement} log */
function tellChecklist(log) {
  const tell = () => {
    if (!log.querySelector(".said-by-user")) return;
    document.removeEventListener("htmx:wsAfterMessage", tell);
    parent.document.getElementById("checklist")?.dispatchEvent(new Event("baton:rehearsed"));
  };
  document.addEventListener("htmx:wsAfterMessage", tell);
  tell();
}

// The person opened the drawer to write: the focus moves on from its button, unless it is elsewhere by now.
if (parent.document.activeElement?.closest("#rehearsal-drawer")) document.getElementById("message-text")?.focus();
