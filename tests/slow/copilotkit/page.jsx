// A page with CopilotKit's chat, which talks to a conversation of Baton by the address after "?url=".
import { CopilotChat, CopilotKitProvider, HttpAgent } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";

const url = new URLSearchParams(location.search).get("url") ?? "";
const agents = { default: new HttpAgent({ url }) };

createRoot(document.getElementById("root")).render(
  <CopilotKitProvider selfManagedAgents={agents}>
    <CopilotChat agentId="default" />
  </CopilotKitProvider>,
);
