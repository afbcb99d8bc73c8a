// The rehearsal page: its composer, its socket, its canvas, and its panes.
import "./composer.js";
import "./socket-status.js";
import "./live-marks.js";
import "./steering.js";
import "./approvals.js";
import "./feedback.js";
import "../core/length-limits.js";
import "./trace/trace.js";
import "./trace/wire-log.js";
import "./chat-moment.js"; // before the slider, whose first moment may be in the address
import "./trace/time-slider.js";
import "./trace/moment-link.js";
import "./trace/moment-sums.js";
import "./supervisor-pane.js";
import "./break-points.js";
import "./clock-times.js";
import "./waiting-time.js";
import "./variants.js";
import { foldCalls } from "./folded-calls.js";
import { followEnd } from "./follow-end.js";
import { showSheet } from "../core/panel-sheets.js";

const log = document.getElementById("chat-log");
if (log) {
  foldCalls(log);
  followEnd(log);
}

// On a narrow screen the chat is open at first.
showSheet("right");
