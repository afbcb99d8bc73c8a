// The rehearsal page: its composer, its connection, its lights, and panes that follow what comes.
import "./rehearse-composer.js";
import "./rehearse-connection.js";
import "./rehearse-lights.js";
import { follow } from "./rehearse-follow.js";
import { showSheet } from "./sheets.js";

for (const id of ["chat-log", "trace"]) {
  const pane = document.getElementById(id);
  if (pane) follow(pane);
}

// On a narrow screen, whoever comes to rehearse comes to talk.
showSheet("right");
