// A chat with the official AG-UI client: node agui_chat.mjs ADDRESS MESSAGE… prints every event as a line of JSON.
// The client checks each event (verifyEvents). Questions get the next message, calls are approved.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.BATON_AGUI}/package.json`);
const { HttpAgent } = require("@ag-ui/client");

const [url, ...messages] = process.argv.slice(2);
const agent = new HttpAgent({ url });
let open = [];
let messageNumber = 0;

agent.subscribe({
  onEvent: ({ event }) => console.log(JSON.stringify(event)),
  onRunFinishedEvent: (end) => {
    open = end.outcome === "interrupt" ? end.interrupts : [];
  },
  onRunFailed: ({ error }) => {
    throw error;
  },
});

/** @param {string} text */
async function send(text) {
  if (open.some((interrupt) => interrupt.reason !== "tool_call")) {
    const [question] = open;
    await agent.runAgent({ resume: [{ interruptId: question.id, status: "resolved", payload: text }] });
  } else {
    agent.addMessage({ id: `message-${++messageNumber}`, role: "user", content: text });
    await agent.runAgent();
  }
  while (open.length && open.every((interrupt) => interrupt.reason === "tool_call")) {
    const payload = { approved: true };
    await agent.runAgent({ resume: open.map(({ id }) => ({ interruptId: id, status: "resolved", payload })) });
  }
}

for (const text of messages) await send(text);
const { messages: shown } = agent;
console.log(JSON.stringify({ type: "END", shown: shown.map(({ role, content }) => [role, content]) }));
