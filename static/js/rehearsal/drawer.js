// The chat of a rehearsal in the drawer of the editor: the composer and the socket, without canvas and panes.
import "./composer.js";
import "./socket-status.js";
import "../core/length-limits.js";
import { followEnd } from "./follow-end.js";

const log = document.getElementById("chat-log");
if (log) followEnd(log);
