"""Ollama: required calls without a tool choice, and the end of an answer."""

from __future__ import annotations

import pytest

from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall
from orchestration.providers.provider import CallPiece, Finished, PromptMessage, TextPiece
from orchestration.tools import ToolSpec
from tests.orchestration.providers.completions_server import with_messages
from tests.orchestration.providers.vendor_exchange import (
    HANDOFF_TOOL,
    LOOK_UP,
    agent,
    exchange,
    request_body,
)
from tests.orchestration.vendor_formats import OLLAMA_END, by_lines, line, spoken_by_ollama
from tests.orchestration.vendor_streams import VENDORS


async def test_tools_are_not_sent_if_no_call_is_allowed():
    assert "tools" not in await request_body("ollama", tool_choice="none")
    assert "tools" in await request_body("ollama", tool_choice="auto")


async def test_a_required_call_is_enforced_by_a_response_schema():
    body = await request_body("ollama", tools=(LOOK_UP, HANDOFF_TOOL), tool_choice="required")
    forms = body["format"]["anyOf"]
    assert [one["properties"]["name"]["enum"] for one in forms] == [
        ["look_up"],
        ["handoff_conversation"],
    ]
    assert forms[1]["properties"]["arguments"] == dict(HANDOFF_TOOL.parameters)
    assert forms[1]["required"] == ["name", "arguments"]
    single = await request_body("ollama", tools=(HANDOFF_TOOL,), tool_choice="required")
    assert single["format"]["properties"]["name"]["enum"] == ["handoff_conversation"]
    referring = ToolSpec("refer", "", {"type": "object", "$ref": "#/$defs/A", "$defs": {}})
    alone = await request_body("ollama", tools=(referring,), tool_choice="required")
    assert alone["format"]["properties"]["arguments"] == {"type": "object"}


async def test_a_required_call_is_parsed_from_the_text_and_not_shown():
    written = '{"name": "look_up", "arguments": {"city": "Łódź 🙂"}}'
    request = with_messages(
        PromptMessage("user", "hi"), agent=agent(tool_choice="required"), tools=(LOOK_UP,)
    )
    for place in range(1, len(written)):
        stream = by_lines(*spoken_by_ollama(written[:place], written[place:]))
        pieces, _ = await exchange(VENDORS["ollama"], stream, request=request)
        call = ToolCall(id="", name="look_up", arguments='{"city":"Łódź 🙂"}')
        assert pieces == [CallPiece(call), Finished(11, 7)]


@pytest.mark.parametrize("text", ["I would rather not.", '{"arguments": {}}', "[1]"])
async def test_text_instead_of_a_required_call_is_an_error(text):
    request = with_messages(
        PromptMessage("user", "hi"), agent=agent(tool_choice="required"), tools=(LOOK_UP,)
    )
    with pytest.raises(
        ProviderError, match="did not call a tool, although its agent requires a call"
    ):
        await exchange(VENDORS["ollama"], by_lines(*spoken_by_ollama(text)), request=request)


@pytest.mark.parametrize("name", ["ollama"])
async def test_unknown_reasons_end_an_answer_normally(name):
    for reason in ("stop", "content_filter", "refusal"):
        stream = by_lines(
            line("I cannot help with that."), line(**OLLAMA_END | {"done_reason": reason})
        )
        pieces, _ = await exchange(VENDORS[name], stream)
        assert pieces[0] == TextPiece("I cannot help with that.")
        assert isinstance(pieces[-1], Finished)
        assert pieces[-1].reason == "stop"


async def test_the_context_is_never_shortened_silently():
    body = await request_body("ollama")
    assert (body["truncate"], body["shift"]) == (False, False)
