"""Features of the scripted provider: supported, estimated or ignored."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from orchestration.definition import Agent, Cue, CueCall, CueHandoff
from orchestration.messages import ProviderState, ToolCall
from orchestration.prompts import PromptPart
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.scripted import ScriptedProvider
from orchestration.tools import HandoffOption, ToolSpec
from tests.orchestration.providers.completions_server import with_messages

CUE = Cue(
    when=("order",),
    call=CueCall(tool="look_up", arguments={"order": 7}),
    say="It says: {result}",
    hand_over=CueHandoff(target="agent-b"),
)
HANDOFF = ToolSpec(
    "handoff_conversation",
    "Hands over.",
    {"type": "object", "properties": {"target": {"enum": ["agent-b"]}}, "required": ["target"]},
    kind="handoff",
    options=(HandoffOption("billing", "agent-b", "Billing", "next", "Bills and refunds"),),
)


async def played(*messages: PromptMessage, changes: Any = None, **settings: Any) -> list[Piece]:
    """Return the answer of the scripted provider for an agent with these settings."""
    agent = Agent(id="agent-a", name="A", **settings)
    history = messages or (PromptMessage("user", "Where is order 7?"),)
    request: ModelRequest = with_messages(*history, agent=agent, tools=(HANDOFF,), **changes or {})
    provider = ScriptedProvider(tokens_per_second=0)
    return [piece async for piece in provider.stream(request)]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def calls_of(pieces: list[Piece]) -> list[ToolCall]:
    return [piece.call for piece in pieces if isinstance(piece, CallPiece)]


def end_of(pieces: list[Piece]) -> Finished:
    assert isinstance(pieces[-1], Finished)
    return pieces[-1]


def answered(result: str) -> tuple[PromptMessage, ...]:
    """Return the messages of a cue's call and its result."""
    call = ToolCall(id="c1", name="look_up", arguments='{"order": 7}')
    return (
        PromptMessage("user", "Where is order 7?"),
        PromptMessage("assistant", "", (call,)),
        PromptMessage("tool", result, tool_call_id="c1"),
    )


async def streams_text() -> None:
    pieces = await played(cues=(Cue(say="One two three."),))
    assert [piece for piece in pieces if isinstance(piece, TextPiece)] == [
        TextPiece("One "), TextPiece("two "), TextPiece("three."),
    ]  # fmt: skip


async def calls_with_whole_arguments() -> None:
    [call] = calls_of(await played(cues=(CUE,)))
    assert (call.name, json.loads(call.arguments)) == ("look_up", {"order": 7})


async def makes_one_call_at_a_time() -> None:
    assert len(calls_of(await played(cues=(CUE,)))) == 1
    [then] = calls_of(await played(*answered("shipped"), cues=(CUE,)))
    assert then.name == "handoff_conversation"


async def reads_results_and_errors() -> None:
    assert text_of(await played(*answered("shipped"), cues=(CUE,))) == "It says: shipped"
    mute = CUE.model_copy(update={"say": "", "hand_over": None})
    failed = text_of(await played(*answered("Error: no such order"), cues=(mute,)))
    assert failed == "That did not work: no such order"


async def calls_nothing_where_it_must_not() -> None:
    bills = PromptMessage("user", "It is about bills and refunds of billing")
    assert calls_of(await played(bills))
    assert not calls_of(await played(bills, tool_choice="none"))
    greeting = PromptMessage("user", "Hello")
    assert not calls_of(await played(greeting, tool_choice="required"))  # nothing makes it call


async def answers_by_a_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert json.loads(text_of(await played(response_schema=schema))) == {"n": 7}


async def reads_no_system_prompt() -> None:
    shouted = {"system_parts": (PromptPart(kind="base", text="Answer with SHIPPED alone."),)}
    assert text_of(await played(changes=shouted)) == text_of(await played())


async def estimates_its_usage() -> None:
    one = end_of(await played(cues=(Cue(say="One."),)))
    more = end_of(await played(PromptMessage("user", "word " * 400), cues=(Cue(say="One " * 99),)))
    assert 0 < one.input_tokens < more.input_tokens
    assert 0 < one.output_tokens < more.output_tokens


async def knows_no_bound() -> None:
    pieces = await played(max_output_tokens=1, cues=(Cue(say="One two three."),))
    assert (text_of(pieces), end_of(pieces).reason) == ("One two three.", "stop")


async def always_ends_as_usual() -> None:
    for text in ("How do I build a bomb?", "I refuse.", ""):
        pieces = await played(PromptMessage("user", text or "?"), cues=(Cue(say=text or "."),))
        assert end_of(pieces).reason == "stop"


async def thinks_not() -> None:
    assert await played(reasoning_effort="high") == await played(reasoning_effort="minimal")


async def keeps_nothing() -> None:
    kept = ProviderState(
        dialect="chat", model="script", parts=({"reasoning_content": "A city, then."},)
    )
    first, call, result = answered("shipped")
    with_kept = PromptMessage("assistant", "", call.tool_calls, kept=kept)
    pieces = await played(first, with_kept, result, cues=(CUE,))
    assert pieces == await played(first, call, result, cues=(CUE,))
    assert end_of(pieces).kept is None


async def names_no_request() -> None:
    assert end_of(await played()).request_id is None


async def takes_no_headers() -> None:
    make: Any = ScriptedProvider
    with pytest.raises(TypeError, match="headers"):
        make(headers={"X-Team": "blue"})


Check = Callable[[], Awaitable[None]]

CHECKS: dict[str, Check] = {
    "text, streamed": streams_text,
    "arguments of tools, streamed": calls_with_whole_arguments,
    "several calls at once": makes_one_call_at_a_time,
    "results of tools, with errors": reads_results_and_errors,
    "tool choice: may, has to, must not": calls_nothing_where_it_must_not,
    "answers by a JSON schema": answers_by_a_schema,
    "system prompt": reads_no_system_prompt,
    "usage, streamed": estimates_its_usage,
    "stop reason: cut off at the bound": knows_no_bound,
    "stop reason: held back by a filter": always_ends_as_usual,
    "refusals": always_ends_as_usual,
    "reasoning effort": thinks_not,
    "reasoning that goes back": keeps_nothing,
    "name of the request in errors": names_no_request,
    "additional headers": takes_no_headers,
}
"""Checks by feature."""


@pytest.mark.parametrize("feature", CHECKS)
async def test_the_scripted_provider_supports_or_ignores_a_feature(feature):
    await CHECKS[feature]()
