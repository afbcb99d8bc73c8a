"""Tests of the structure, with a stub model: `python -m pytest`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agents import ALIASES, PIPELINE, ROUTER, create_agents
from roomkit import (
    CLIChannel,
    ConversationState,
    InboundMessage,
    RoomKit,
    TextContent,
    get_conversation_state,
    save_conversation_state,
)
from roomkit.providers.ai.base import AIResponse, AIToolCall
from roomkit.providers.ai.mock import MockAIProvider
from wiring import install, open_room

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))


def test_the_pipeline_has_all_transitions() -> None:
    allowed = {phase: sorted(each) for phase, each in PIPELINE.get_allowed_transitions().items()}
    assert allowed == EXPECTED["transitions"]


def test_every_agent_has_its_instructions_and_tools() -> None:
    agents = {each.channel_id: each for each in create_agents(lambda *_: MockAIProvider(["Hello"]))}
    assert set(agents) == set(EXPECTED["agents"])
    for name, expected in EXPECTED["agents"].items():
        assert agents[name].system_prompt == expected["instructions"]


@pytest.mark.parametrize("path", EXPECTED["paths"], ids="-".join)
def test_a_handoff_moves_the_conversation(path: list[str]) -> None:
    assert asyncio.run(phase_after_handoff(*path)) == path[1]


def test_the_first_message_begins_at_the_entry() -> None:
    assert asyncio.run(phase_after_handoff(None, "")) == EXPECTED["first"]


async def phase_after_handoff(source: str | None, target: str) -> str:
    """Return the stage after a message to the agent of a stage, which hands over to another.

    Without a stage, the message is the first one of the conversation, and nobody hands over.
    """
    agent_ids = {each.phase: each.agent_id for each in PIPELINE.stages}
    arguments: dict[str, Any] = {"target": agent_ids.get(target, ""), "next_phase": target}
    call = AIToolCall(
        id="1",
        name="handoff_conversation",
        arguments=arguments | {"reason": "test", "summary": "test"},
    )
    answers = [AIResponse(content="", tool_calls=[call])] if source is not None else []
    stub = MockAIProvider(
        ai_responses=[*answers, AIResponse(content="{}")],
        response_schema=True,
        response_schema_with_tools=True,
    )
    kit, agents = RoomKit(), create_agents(lambda *_: stub)
    kit.register_channel(CLIChannel("user"))
    install(kit, agents, PIPELINE, ROUTER, ALIASES)
    await open_room(kit, "room", agents, "user")
    if source is not None:
        state = ConversationState(phase=source, active_agent_id=agent_ids[source])
        await save_conversation_state(kit.store, "room", state)
    content = TextContent(body="Hello")
    message = InboundMessage(channel_id="user", sender_id="user", content=content)
    await kit.process_inbound(message, room_id="room")
    phase: str = get_conversation_state(await kit.get_room("room")).phase
    await kit.close()
    return phase
