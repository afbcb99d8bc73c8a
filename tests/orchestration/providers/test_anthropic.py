"""Anthropic: thinking, alternating turns and usage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.messages import ToolCall
from orchestration.providers.anthropic import MessagesDecoder
from orchestration.providers.provider import Finished, PromptMessage
from tests.orchestration.providers.vendor_exchange import request_body


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-opus-4-1"])
async def test_thinking_excludes_a_temperature_and_a_required_call(model):
    wishes: dict[str, Any] = {"model": model, "reasoning_effort": "high", "temperature": 0.5}
    assert "temperature" not in await request_body("anthropic", **wishes)
    made_to_call = await request_body("anthropic", **wishes, tool_choice="required")
    assert "thinking" not in made_to_call
    assert made_to_call["temperature"] == 0.5


async def test_a_history_that_begins_with_an_assistant_gets_a_first_user_message():
    history = (PromptMessage("assistant", "Hello."), PromptMessage("user", "Hi"))
    body = await request_body("anthropic", *history)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][0]["content"][0]["text"] == "[The conversation goes on.]"


async def test_results_of_tools_precede_the_text_of_the_same_user_message():
    history = (
        PromptMessage("user", "Hi"),
        PromptMessage("assistant", "", (ToolCall(id="call:1", name="look_up"),)),
        PromptMessage("user", "Well?"),
        PromptMessage("tool", "Error: no such city", tool_call_id="call:1"),
    )
    body = await request_body("anthropic", *history)
    result, text = body["messages"][2]["content"]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == (
        "tool_result",
        "call_1",
        True,
    )
    assert text == {"type": "text", "text": "Well?"}


def test_cached_tokens_count_as_input_tokens():
    usage = {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 2}
    decoder = MessagesDecoder("m1")
    for event in (
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    ):
        assert list(decoder.decode(json.dumps(event).encode())) == []
    assert list(decoder.finish()) == [Finished(12, 2, "length")]
