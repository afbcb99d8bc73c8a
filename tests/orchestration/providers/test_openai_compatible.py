"""What chat-completions servers are sent, and everything they get wrong in what they send back."""

from __future__ import annotations

import json
from typing import Any

import httpx
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
from orchestration.providers.sse import EventReader
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


def calls_in(pieces: list[Piece]) -> list[tuple[str, str, str]]:
    calls = [piece.call for piece in pieces if isinstance(piece, CallPiece)]
    return [(call.id, call.name, call.arguments) for call in calls]


# What is sent


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


def test_what_users_say_in_a_row_is_one_message():
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


def test_calls_go_back_as_they_were_and_broken_ones_as_no_arguments():
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
    spoken = body["messages"][2]
    assert spoken["content"] is None
    assert [call["function"]["arguments"] for call in spoken["tool_calls"]] == ['{"n":1}', "{}"]
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "a", "content": "one"}


def test_tools_temperature_and_bounds_are_sent_where_there_are_any():
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


# What comes back


async def test_text_comes_as_it_is_said_and_usage_at_the_end():
    """Contract T-1."""
    pieces = await answered(streamed(*HELLO, USAGE, DONE))
    assert pieces == [TextPiece("Hel"), TextPiece("lo."), Finished(11, 3)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
async def test_a_stream_may_be_cut_anywhere(ending):
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
        # All at index 0, told apart by their ids.
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
async def test_calls_are_put_together_however_they_come(parts):
    pieces = await answered(streamed(*map(chunk, parts), chunk({}, "tool_calls"), DONE))
    assert calls_in(pieces) == [("a", "x", '{"n":1}'), ("b", "y", "{}")]


async def test_arguments_may_come_as_an_object_and_calls_without_ids():
    pieces = await answered(streamed(chunk(part(0, None, "x", {"n": 1})), chunk({}, "stop")))
    assert calls_in(pieces) == [("", "x", '{"n":1}')]


async def test_content_may_be_null_and_the_end_stop_though_tools_were_called():
    pieces = await answered(
        streamed(chunk({"content": None}), chunk(part(0, "a", "x", "{}")), chunk({}, "stop"), DONE)
    )
    assert calls_in(pieces) == [("a", "x", "{}")]


async def test_a_letter_may_come_as_two_halves_and_what_cannot_be_kept_is_left_out():
    halves = [
        b'{"content": "a\\ud83d"}',
        b'{"content": "\\ude42b\\u0000"}',
        b'{"content": "\\ude42"}',
    ]
    body = [b'data: {"choices": [{"delta": ' + half + b"}]}\n\n" for half in halves]
    pieces = await answered(streamed(*body, DONE))
    assert pieces[:2] == [TextPiece("a"), TextPiece("🙂b")]
    assert pieces[2] == TextPiece("\ufffd")


async def test_a_server_that_does_not_stream_is_understood():
    message = {"role": "assistant", "content": "Hello."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    pieces = await answered(httpx.Response(200, json=body))
    assert pieces[0] == TextPiece("Hello.")


async def test_without_usage_tokens_are_estimated():
    pieces = await answered(streamed(*HELLO, DONE))
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].input_tokens > 0
    assert pieces[-1].output_tokens > 0


async def test_the_end_may_be_the_mark_alone_or_the_last_line_unfinished():
    assert (await answered(streamed(HELLO[0], DONE)))[0] == TextPiece("Hel")
    assert (await answered(streamed(HELLO[0], HELLO[2].rstrip())))[0] == TextPiece("Hel")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([HELLO[0]], "broke off before its end"),
        ([chunk(part(0, "a", "x", '{"n":'))], "broke off before its end"),
        ([chunk(part(0, "a", "x", '{"n":')), chunk({}, "length")], "in the middle of a tool call"),
        ([HELLO[0], b'data: {"error": {"message": "out of memory"}}\n\n'], "out of memory"),
        ([HELLO[0], b"data: {nonsense\n\n"], "not JSON"),
        ([b"data: [1]\n\n"], "not an object"),
        ([chunk(part(0, "a", None, "{}")), chunk({}, "stop")], "without saying which"),
    ],
)
async def test_half_an_answer_is_an_error_and_no_call(body, words):
    pieces: list[Piece] = []

    async def take() -> None:
        async for piece in Server(streamed(*body)).provider(patience=ONCE).stream(ASKED):
            pieces.append(piece)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ProviderError, match=words):
        await take()
    assert calls_in(pieces) == []


async def test_text_that_reached_its_bound_is_kept():
    pieces = await answered(streamed(HELLO[0], chunk({}, "length"), DONE))
    assert pieces[0] == TextPiece("Hel")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


async def test_an_event_without_an_end_is_given_up():
    with pytest.raises(ProviderError, match="without an end"):
        await answered(streamed(*[b"data: " + b"x" * 100_000] * 20))


async def test_an_event_whose_lines_never_end_is_given_up():
    with pytest.raises(ProviderError, match="without an end"):
        await answered(streamed(*[b"data: " + b"x" * 1000 + b"\n"] * 2000))


@pytest.mark.parametrize(
    "delta",
    [
        lambda number: part(0, "a", "look", "x" * 10_000),
        lambda number: part(number, f"call-{number}", "look", ""),
    ],
)
async def test_tool_calls_that_never_end_are_given_up(delta):
    with pytest.raises(ProviderError, match="calls tools without an end"):
        await answered(streamed(*(chunk(delta(number)) for number in range(200))))


def test_data_over_several_lines_is_one_event():
    assert list(EventReader().feed(b'data: {"a":\ndata: 1}\n\n')) == [b'{"a":\n1}']


def test_a_decoder_says_when_it_is_done():
    decoder = ChatDecoder()
    assert list(decoder.decode(b"[DONE]")) == []
    assert decoder.ended
