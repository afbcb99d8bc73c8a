"""A conversation in the terminal: `python chat.py`."""

from __future__ import annotations

import asyncio
import os

from agents import ALIASES, PIPELINE, ROUTER, create_agents
from roomkit import CLIChannel, RoomKit
from roomkit.providers.ai.base import AIProvider
from roomkit.providers.openai import OpenAIAIProvider, OpenAIConfig
from wiring import install, open_room


def provider(name: str, model: str) -> AIProvider:
    """Return a provider with the protocol of OpenAI, from the environment."""
    address = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    key = os.environ.get("OPENAI_API_KEY", "none")
    chosen = model or os.environ.get("OPENAI_MODEL", "default")
    return OpenAIAIProvider(OpenAIConfig(api_key=key, base_url=address, model=chosen))


async def main() -> None:
    """Talk to the agents until the input ends."""
    kit, agents, terminal = RoomKit(), create_agents(provider), CLIChannel("terminal")
    kit.register_channel(terminal)
    install(kit, agents, PIPELINE, ROUTER, ALIASES)
    await open_room(kit, "room", agents, "terminal")
    await terminal.run(kit, room_id="room")


if __name__ == "__main__":
    asyncio.run(main())
