"""Send one message to an exported project of RoomKit, and print the stage and its agent."""

import asyncio
import json
import sys
from typing import Any

sys.path.insert(0, sys.argv[1])

from agents import ALIASES, PIPELINE, ROUTER, create_agents  # type: ignore[import-not-found]
from roomkit import (
    CLIChannel,
    InboundMessage,
    RoomKit,
    TextContent,
    get_conversation_state,
)
from roomkit.providers.ai.base import AIResponse
from roomkit.providers.ai.mock import MockAIProvider
from wiring import install, open_room  # type: ignore[import-not-found]


async def main(text: str, metadata: dict[str, Any]) -> list[str | None]:
    """Return the stage and the agent after a message."""
    kit, stub = RoomKit(), MockAIProvider(ai_responses=[AIResponse(content="Hello")])
    agents = create_agents(lambda *_: stub)
    kit.register_channel(CLIChannel("user"))
    install(kit, agents, PIPELINE, ROUTER, ALIASES)
    await open_room(kit, "room", agents, "user")
    message = InboundMessage(
        channel_id="user", sender_id="user", content=TextContent(body=text), metadata=metadata
    )
    await kit.process_inbound(message, room_id="room")
    state = get_conversation_state(await kit.get_room("room"))
    await kit.close()
    return [state.phase, state.active_agent_id]


json.dump(asyncio.run(main(sys.argv[2], json.loads(sys.argv[3]))), sys.stdout)
