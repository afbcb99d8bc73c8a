"""Calls of tools and their results in the published format of each vendor.

Sources: OpenAI's guide on function calling (chat completions and responses); Anthropic's page on
tool use ("parallel tool use", `is_error`); Gemini's guide on function calling ("parallel function
calling"); Ollama's page on tool calling.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.messages import ToolCall
from orchestration.providers.provider import CallPiece, PromptMessage
from tests.orchestration.providers.completions_server import chunk, part, with_messages
from tests.orchestration.providers.vendor_exchange import LOOK_UP, exchange
from tests.orchestration.vendor_formats import (
    DONE_CALL,
    MESSAGE_START,
    OLLAMA_END,
    block,
    by_lines,
    candidate,
    delta,
    line,
    message_end,
    response_event,
    sse,
)
from tests.orchestration.vendor_streams import VENDORS

each_name = pytest.mark.parametrize("name", VENDORS)


def _called(call_id: str, city: str) -> dict[str, Any]:
    arguments = json.dumps({"city": city})
    return {
        "type": "response.output_item.done",
        "item": DONE_CALL | {"call_id": call_id, "arguments": arguments},
    }


def _used(place: int, call_id: str, *written: str) -> list[dict[str, Any]]:
    return [
        block(place, type="tool_use", id=call_id, name="look_up", input={}),
        *(delta(place, type="input_json_delta", partial_json=one) for one in written),
        {"type": "content_block_stop", "index": place},
    ]


def _named(city: str) -> dict[str, Any]:
    return {"functionCall": {"name": "look_up", "args": {"city": city}}}


TWO_AT_ONCE = {
    "openai_compatible": b"".join(
        [
            chunk(part(0, "c1", "look_up", '{"city": "A"}')),
            chunk(part(1, "c2", "look_up", '{"ci')),
            chunk(part(1, None, None, 'ty": "B"}')),
            chunk({}, "tool_calls"),
        ]
    ),
    "openai": sse(
        _called("c1", "A"),
        _called("c2", "B"),
        response_event("completed", status="completed"),
        named=True,
    ),
    "anthropic": sse(
        MESSAGE_START,
        *_used(0, "c1", '{"city": "A"}'),
        *_used(1, "c2", '{"ci', 'ty": "B"}'),
        *message_end("tool_use"),
        named=True,
    ),
    "gemini": sse(candidate(_named("A"), _named("B")), candidate(reason="STOP")),
    "ollama": by_lines(
        line(
            tool_calls=[
                {"function": {"name": "look_up", "arguments": {"city": "A"}}},
                {"function": {"name": "look_up", "arguments": {"city": "B"}}},
            ]
        ),
        line(**OLLAMA_END),
    ),
}


@each_name
async def test_two_calls_of_one_answer_keep_their_order(name):
    pieces, _ = await exchange(VENDORS[name], TWO_AT_ONCE[name])
    calls = [one.call for one in pieces if isinstance(one, CallPiece)]
    assert [json.loads(call.arguments) for call in calls] == [{"city": "A"}, {"city": "B"}]
    assert [call.name for call in calls] == ["look_up"] * 2
    ids = [call.id for call in calls]
    assert ids == (["", ""] if name in ("gemini", "ollama") else ["c1", "c2"])


RESULTS: dict[str, Any] = {
    "openai_compatible": [
        {"role": "tool", "tool_call_id": "c1", "content": "In Poland."},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no such city"},
    ],
    "openai": [
        {"type": "function_call_output", "call_id": "c1", "output": "In Poland."},
        {"type": "function_call_output", "call_id": "c2", "output": "Error: no such city"},
    ],
    "anthropic": [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "In Poland."},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": "Error: no such city",
                    "is_error": True,
                },
            ],
        }
    ],
    "gemini": [
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "name": "look_up",
                        "response": {"result": "In Poland."},
                    }
                },
                {
                    "functionResponse": {
                        "name": "look_up",
                        "response": {"error": "Error: no such city"},
                    }
                },
            ],
        }
    ],
    "ollama": [
        {"role": "tool", "content": "In Poland.", "tool_name": "look_up"},
        {"role": "tool", "content": "Error: no such city", "tool_name": "look_up"},
    ],
}


@each_name
async def test_both_results_are_sent_and_errors_are_marked(name):
    calls = tuple(
        ToolCall(id=one, name="look_up", arguments='{"city":"A"}') for one in ("c1", "c2")
    )
    request = with_messages(
        PromptMessage("user", "Where?"),
        PromptMessage("assistant", "", calls),
        PromptMessage("tool", "In Poland.", tool_call_id="c1"),
        PromptMessage("tool", "Error: no such city", tool_call_id="c2"),
        tools=(LOOK_UP,),
    )
    _, body = await exchange(VENDORS[name], VENDORS[name].answer, request=request)
    messages = body.get("messages") or body.get("input") or body["contents"]
    assert messages[-len(RESULTS[name]) :] == RESULTS[name]


@each_name
async def test_the_system_prompt_has_the_place_of_the_vendor(name):
    _, body = await exchange(VENDORS[name], VENDORS[name].answer)
    prompt = "You are A.\n\n---\n\nBe kind."
    places = {
        "openai": body.get("instructions"),
        "anthropic": body.get("system"),
        "gemini": (body.get("systemInstruction") or {}).get("parts", [{}])[0].get("text"),
    }
    assert places.get(name) or body["messages"][0]["content"] == prompt
    assert places.get(name) in (None, prompt)
