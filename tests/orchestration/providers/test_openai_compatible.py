"""Chat completions: requests, and answers that deviate from OpenAI's format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.definition import Agent
from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall
from orchestration.providers.openai_compatible import ChatDecoder, encode_request
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.tools import ToolSpec
from tests.orchestration.providers.completions_server import (
    ASKED,
    DONE,
    HELLO,
    KEY,
    ONCE,
    USAGE,
    Server,
    answered,
    chunk,
    part,
    pieces_of,
    streamed,
    with_messages,
)
from tests.orchestration.providers.vendor_exchange import exchange
from tests.orchestration.vendor_streams import VENDORS


def calls_in(pieces: list[Piece]) -> list[tuple[str, str, str]]:
    calls = [piece.call for piece in pieces if isinstance(piece, CallPiece)]
    return [(call.id, call.name, call.arguments) for call in calls]


# Requests


async def test_the_request_is_a_streaming_chat_completion():
    """Contract T-1."""
    server = Server(streamed(*HELLO, DONE))
    await pieces_of(server.provider())
    (request,) = server.requests
    assert str(request.url) == "http://models.test/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == {
        "model": "m1",
        "messages": [
            {"role": "system", "content": "You are A.\n\n---\n\nBe kind."},
            {"role": "user", "content": "hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def sent(request: ModelRequest) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encode_request(request, model="m1"))
    return body


def test_consecutive_user_messages_are_joined():
    body = sent(
        with_messages(
            PromptMessage("user", 'say "hi"\nto 🙂'),
            PromptMessage("user", "[agent-b]: hi", speaker="agent-b"),
            PromptMessage("assistant", "Hello."),
            PromptMessage("user", "again"),
        )
    )
    assert body["messages"][1:] == [
        {"role": "user", "content": 'say "hi"\nto 🙂\n\n[agent-b]: hi'},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "again"},
    ]


def test_calls_are_sent_back_unchanged_or_without_broken_arguments():
    body = sent(
        with_messages(
            PromptMessage("user", "hi"),
            PromptMessage(
                "assistant",
                "",
                (
                    ToolCall(id="a", name="x", arguments='{"n":1}'),
                    ToolCall(id="b", name="y", arguments="{"),
                ),
            ),
            PromptMessage("tool", "one", tool_call_id="a"),
            PromptMessage("tool", "Error: two", tool_call_id="b"),
        )
    )
    message = body["messages"][2]
    assert message["content"] is None
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == ['{"n":1}', "{}"]
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "a", "content": "one"}


def test_tools_temperature_and_limits_are_sent_if_set():
    agent = Agent(id="agent-a", name="A", temperature=0.5, max_output_tokens=99)
    tool = ToolSpec("look", "Look.", {"type": "object", "properties": {"z": {}, "a": {}}})
    body = sent(with_messages(PromptMessage("user", "hi"), agent=agent, tools=(tool,)))
    assert (body["temperature"], body["max_tokens"], body["tool_choice"]) == (0.5, 99, "auto")
    assert body["tools"][0]["function"]["name"] == "look"
    assert list(body["tools"][0]["function"]["parameters"]["properties"]) == ["z", "a"]


def test_a_message_is_encoded_once():
    message = PromptMessage("user", "hi")
    encode_request(with_messages(message), model="m1")
    first = message.wire
    encode_request(with_messages(message), model="m1")
    assert message.wire is first is not None


# Answers


async def test_text_is_streamed_and_usage_comes_at_the_end():
    """Contract T-1."""
    pieces = await answered(streamed(*HELLO, USAGE, DONE))
    assert pieces == [TextPiece("Hel"), TextPiece("lo."), Finished(11, 3)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
async def test_a_stream_may_be_split_anywhere(ending):
    """Byte by byte, with comments, CRLF and letters of several bytes."""
    body = (
        b": keep-alive\n\n"
        + chunk({"content": "Grüße 🙂"})
        + b"event: x\n"
        + b"".join(
            [chunk(part(call_id="c1", name="look", arguments='{"a":')), chunk(part(arguments="1}"))]
        )
    )
    body = (body + chunk({}, "tool_calls") + USAGE + DONE).replace(b"\n", ending)
    pieces = await answered(streamed(*(body[at : at + 1] for at in range(len(body)))))
    assert pieces[0] == TextPiece("Grüße 🙂")
    assert calls_in(pieces) == [("c1", "look", '{"a":1}')]


@pytest.mark.parametrize(
    "parts",
    [
        # By the book: id and name in the first piece only.
        [part(0, "a", "x", '{"n"'), part(0, None, None, ":1}"), part(1, "b", "y", "{}")],
        # Without an index.
        [part(None, "a", "x", '{"n"'), part(None, None, None, ":1}"), part(None, "b", "y", "{}")],
        # All at index 0, with different ids.
        [part(0, "a", "x", '{"n":1}'), part(0, "b", "y", "{}")],
        # Name and id in every piece.
        [part(0, "a", "x", '{"n"'), part(0, "a", "x", ":1}"), part(1, "b", "y", "{}")],
        # Interleaved.
        [
            part(0, "a", "x", '{"n"'),
            part(1, "b", "y", "{"),
            part(0, None, None, ":1}"),
            part(1, None, None, "}"),
        ],
    ],
)
async def test_calls_are_assembled_from_all_known_forms(parts):
    pieces = await answered(streamed(*map(chunk, parts), chunk({}, "tool_calls"), DONE))
    assert calls_in(pieces) == [("a", "x", '{"n":1}'), ("b", "y", "{}")]


async def test_arguments_may_be_objects_and_calls_may_lack_ids():
    pieces = await answered(streamed(chunk(part(0, None, "x", {"n": 1})), chunk({}, "stop")))
    assert calls_in(pieces) == [("", "x", '{"n":1}')]


async def test_content_may_be_null_and_calls_may_end_with_stop():
    pieces = await answered(
        streamed(chunk({"content": None}), chunk(part(0, "a", "x", "{}")), chunk({}, "stop"), DONE)
    )
    assert calls_in(pieces) == [("a", "x", "{}")]


async def test_split_surrogates_are_joined_and_invalid_characters_removed():
    halves = [
        b'{"content": "a\\ud83d"}',
        b'{"content": "\\ude42b\\u0000"}',
        b'{"content": "\\ude42"}',
    ]
    body = [b'data: {"choices": [{"delta": ' + half + b"}]}\n\n" for half in halves]
    pieces = await answered(streamed(*body, DONE))
    assert pieces[:2] == [TextPiece("a"), TextPiece("🙂b")]
    assert pieces[2] == TextPiece("\ufffd")


async def test_the_end_may_be_only_the_mark_or_an_unfinished_line():
    assert (await answered(streamed(HELLO[0], DONE)))[0] == TextPiece("Hel")
    assert (await answered(streamed(HELLO[0], HELLO[2].rstrip())))[0] == TextPiece("Hel")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([HELLO[0]], "broke off before its end"),
        ([chunk(part(0, "a", "x", '{"n":'))], "broke off before its end"),
        ([HELLO[0], b'data: {"error": {"message": "out of memory"}}\n\n'], "out of memory"),
        ([HELLO[0], b"data: {nonsense\n\n"], "not JSON"),
        ([b"data: [1]\n\n"], "not an object"),
        ([chunk(part(0, "a", None, "{}")), chunk({}, "stop")], "without a name"),
    ],
)
async def test_an_incomplete_answer_is_an_error_without_calls(body, words):
    pieces: list[Piece] = []

    async def take() -> None:
        async for piece in Server(streamed(*body)).provider(retry_policy=ONCE).stream(ASKED):
            pieces.append(piece)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ProviderError, match=words):
        await take()
    assert calls_in(pieces) == []


async def test_a_call_that_was_cut_off_at_the_maximum_length_is_left_out():
    half_call = chunk(part(0, "a", "x", '{"n":'))
    pieces = await answered(streamed(HELLO[0], half_call, chunk({}, "length"), DONE))
    assert pieces[0] == TextPiece("Hel")
    assert calls_in(pieces) == []
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


async def test_text_that_reached_its_limit_is_kept():
    pieces = await answered(streamed(HELLO[0], chunk({}, "length"), DONE))
    assert pieces[0] == TextPiece("Hel")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


@pytest.mark.parametrize(
    "delta",
    [
        lambda number: part(0, "a", "look", "x" * 10_000),
        lambda number: part(number, f"call-{number}", "look", ""),
    ],
)
async def test_too_many_or_too_long_tool_calls_are_an_error(delta):
    with pytest.raises(
        ProviderError, match="sent too many tool calls, or arguments that are too long"
    ):
        await answered(streamed(*(chunk(delta(number)) for number in range(200))))


def test_a_decoder_reports_its_end():
    decoder = ChatDecoder()
    assert list(decoder.decode(b"[DONE]")) == []
    assert decoder.ended


async def test_pieces_of_reasoning_details_are_joined():
    pieces, _ = await exchange(VENDORS["openai_compatible"], VENDORS["openai_compatible"].reasoned)
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].kept is not None
    [fields] = pieces[-1].kept.parts
    assert fields["reasoning_content"] == "A city, then."
    assert fields["reasoning_details"] == [
        {"type": "reasoning.text", "text": "A city, then.", "signature": "s1", "index": 0}
    ]
