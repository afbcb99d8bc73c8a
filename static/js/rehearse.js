// The rehearsal page: its composer, its connection, its lights, and panes that follow what comes.
import "./rehearse-composer.js";
import "./rehearse-connection.js";
import "./rehearse-lights.js";
import "./rehearse-steering.js";
import "./approvals.js";
import "./limits.js";
import "./trace.js";
import "./wire-log.js";
import "./moment.js";
import "./pane.js";
import "./break-points.js";
import { follow } from "./rehearse-follow.js";
import { showSheet } from "./sheets.js";

const log = document.getElementById("chat-log");
if (log) follow(log);

// On a narrow screen, whoever comes to rehearse comes to talk.
showSheet("right");
