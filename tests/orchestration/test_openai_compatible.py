"""A client of chat-completions servers, and everything such servers get wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from orchestration.definition import Agent, PipelineDefinition
from orchestration.events import HandoffAccepted, MessageCompleted, RunCompleted, RunFailed
from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.messages import ToolCall
from orchestration.prompts import PromptPart
from orchestration.providers import providers_from_environment
from orchestration.providers.base import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.chat_wire import ChatDecoder, EventReader, encode_request
from orchestration.providers.openai_compatible import OpenAICompatibleProvider, Patience
from orchestration.tools.spec import ToolSpec
from tests.orchestration.conversations import HANDLER, four_stages, only, say, session_with

KEY = "sk-very-secret"
QUICK = Patience(first_wait=0.0)
ASKED = ModelRequest(
    agent=Agent(id="agent-a", name="A", model="m1"),
    phase="intake",
    system_parts=(PromptPart("base", "You are A."), PromptPart("instructions", "Be kind.")),
    messages=[PromptMessage("user", "hi")],
)

Answer = httpx.Response | Exception


class Server:
    """A server that gives these answers in order, the last one for ever."""

    def __init__(self, *answers: Answer | Callable[[], Answer]) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        made = answer() if callable(answer) else answer
        if isinstance(made, Exception):
            raise made
        return made

    def provider(self, **options: Any) -> OpenAICompatibleProvider:
        fields: dict[str, Any] = {"base_url": "http://models.test/v1", "api_key": KEY}
        fields |= {"patience": QUICK, "transport": httpx.MockTransport(self)}
        return OpenAICompatibleProvider(**fields | options)


class Bytes(httpx.AsyncByteStream):
    """A body that comes in these pieces, and may then fail or hang."""

    def __init__(self, pieces: list[bytes], then: Exception | None = None, hang: bool = False):
        self._pieces, self._then, self._hang = pieces, then, hang

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._hang:
            await asyncio.Event().wait()
        if self._then is not None:
            raise self._then


def streamed(*pieces: bytes, **options: Any) -> httpx.Response:
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        stream=Bytes(list(pieces), **options),
    )


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> bytes:
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return b"data: " + json.dumps({"choices": choices} | fields).encode() + b"\n\n"


def part(
    index: int | None = 0, call_id: str | None = None, name: str | None = None, arguments: Any = ""
):
    function = {"arguments": arguments} | ({"name": name} if name else {})
    found: dict[str, Any] = {"function": function}
    if index is not None:
        found["index"] = index
    if call_id is not None:
        found |= {"id": call_id, "type": "function"}
    return {"tool_calls": [found]}


DONE = b"data: [DONE]\n\n"
HELLO = [
    chunk({"role": "assistant", "content": "Hel"}),
    chunk({"content": "lo."}),
    chunk({}, "stop"),
]
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}}\n\n'


async def pieces_of(
    provider: OpenAICompatibleProvider, request: ModelRequest = ASKED
) -> list[Piece]:
    try:
        return [piece async for piece in provider.stream(request)]
    finally:
        await provider.aclose()


async def answered(*answers: Answer | Callable[[], Answer]) -> list[Piece]:
    return await pieces_of(Server(*answers).provider())


def calls_in(pieces: list[Piece]) -> list[tuple[str, str, str]]:
    calls = [piece.call for piece in pieces if isinstance(piece, CallPiece)]
    return [(call.id, call.name, call.arguments) for call in calls]


# What is sent


async def test_the_request_is_a_streaming_chat_completion():
    """T-1."""
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


def with_messages(*messages: PromptMessage, **changes: Any) -> ModelRequest:
    fields = {
        "agent": ASKED.agent,
        "phase": "intake",
        "system_parts": ASKED.system_parts,
        "messages": messages,
    }
    return ModelRequest(**fields | changes)  # type: ignore[arg-type]


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
    """T-1."""
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
        async for piece in Server(streamed(*body)).provider().stream(ASKED):
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


# What goes wrong


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_it_asks_again_when_that_may_help(status):
    server = Server(httpx.Response(status), httpx.Response(status), streamed(*HELLO, DONE))
    assert (await pieces_of(server.provider()))[0] == TextPiece("Hel")
    assert len(server.requests) == 3


@pytest.mark.parametrize("error", [httpx.ConnectError("no"), httpx.ReadTimeout("slow")])
async def test_it_asks_again_when_nobody_answered(error):
    server = Server(error, streamed(*HELLO, DONE))
    assert (await pieces_of(server.provider()))[0] == TextPiece("Hel")


async def test_it_asks_four_times_at_most():
    server = Server(httpx.Response(503))
    with pytest.raises(ProviderError, match="not available") as failed:
        await pieces_of(server.provider())
    assert len(server.requests) == 4
    assert failed.value.status == 503


async def test_after_the_first_piece_it_never_asks_again():
    server = Server(streamed(HELLO[0], then=httpx.ReadError("reset")))
    with pytest.raises(ProviderError, match="broke off during the answer"):
        await pieces_of(server.provider())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "did not accept the request for model 'm1'"),
        (401, "refused the key: check OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "knows no model 'm1', or OPENAI_BASE_URL is not its address"),
        (301, "status 301"),
        (418, "status 418"),
    ],
)
async def test_a_refusal_is_told_in_words_at_once(status, words):
    server = Server(
        httpx.Response(
            status,
            headers={"x-request-id": "req_7", "location": "http://elsewhere.test/"},
            json={"error": {"message": f"No, {KEY} is not right."}},
        )
    )
    with pytest.raises(ProviderError, match=words) as failed:
        await pieces_of(server.provider())
    assert len(server.requests) == 1
    assert failed.value.request_id == "req_7"
    assert "It says: No, [key] is not right." in str(failed.value)
    assert "(request req_7)" in str(failed.value)


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "0.05"},
        {"retry-after-ms": "50"},
        {"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))},
        {"retry-after": "soon"},
    ],
)
async def test_it_waits_as_long_as_it_was_told(headers):
    loop = asyncio.get_running_loop()
    server = Server(httpx.Response(429, headers=headers), streamed(*HELLO, DONE))
    began = loop.time()
    await pieces_of(server.provider())
    if "0.05" in headers.values() or "50" in headers.values():
        assert loop.time() - began >= 0.045


async def test_a_server_that_is_silent_from_the_start_is_given_up():
    patience = Patience(first_byte=0.02, tries=2, first_wait=0.0)
    server = Server(lambda: streamed(hang=True))
    with pytest.raises(ProviderTimeout, match=r"models\.test did not answer in time"):
        await pieces_of(server.provider(patience=patience))
    assert len(server.requests) == 2


async def test_a_server_that_falls_silent_is_given_up():
    patience = Patience(between=0.02)
    server = Server(streamed(HELLO[0], hang=True))
    with pytest.raises(ProviderTimeout, match="stopped in the middle"):
        await pieces_of(server.provider(patience=patience))


async def test_a_turn_has_its_time_even_if_pieces_keep_coming():
    patience = Patience(turn=0.0)
    with pytest.raises(ProviderTimeout, match="stopped in the middle"):
        await pieces_of(Server(streamed(*HELLO, hang=True)).provider(patience=patience))


async def test_without_a_model_it_says_what_to_set():
    agent = Agent(id="agent-a", name="A")
    with pytest.raises(ProviderError, match="set OPENAI_MODEL, or name one on agent 'agent-a'"):
        await pieces_of(Server(streamed()).provider(), with_messages(agent=agent))


async def test_the_key_stands_in_no_error_no_repr_and_no_event():
    server = Server(httpx.Response(401, text=f"bad {KEY}"))
    provider = server.provider()
    assert KEY not in repr(provider)
    definition = named_model()
    failed = only(
        RunFailed, await say(session_with(None, definition, providers={"default": provider}), "hi")
    )
    assert "refused the key" in failed.message
    assert KEY not in failed.model_dump_json()


@pytest.mark.parametrize("before", ["", "x" * (300 - len("No, ") - 5)])
@pytest.mark.parametrize("answer", ["refused", "streamed"])
async def test_the_key_is_taken_out_of_what_the_server_says_before_it_is_cut(answer, before):
    error = {"error": {"message": f"No, {before}{KEY} is not right."}}
    body = b"data: " + json.dumps(error).encode() + b"\n\n"
    answers = {"refused": httpx.Response(401, json=error), "streamed": streamed(body)}
    with pytest.raises(ProviderError) as failed:
        await answered(answers[answer])
    assert KEY[:4] not in str(failed.value)
    assert "[key" in str(failed.value)


@pytest.mark.parametrize("key", ["sk-\u0441ret", "sk-one\nsk-two"])
def test_a_key_that_no_header_can_carry_is_an_error_that_does_not_quote_it(key):
    with pytest.raises(ValueError, match="holds a character that no key has") as wrong:
        providers_from_environment({"OPENAI_API_KEY": key})
    assert "sk-" not in str(wrong.value)


async def test_proxies_of_the_environment_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:1")
    provider = OpenAICompatibleProvider(base_url="http://models.test/v1", model="m1")
    client = provider._connected()
    assert client.trust_env is False
    assert client.follow_redirects is False
    await provider.aclose()


# In a conversation


async def test_a_conversation_with_a_handoff_runs_over_the_wire():
    """O-7, T-1: two requests, the receiver's with the user's message and the note."""
    arguments = json.dumps({"target": HANDLER, "reason": "r", "summary": "Order 3."})
    server = Server(
        streamed(
            chunk({"content": "One moment."}),
            chunk(part(0, "c1", "handoff_conversation", arguments)),
            chunk({}, "tool_calls"),
            USAGE,
            DONE,
        ),
        streamed(*HELLO, USAGE, DONE),
    )
    provider = server.provider(model="m2")
    session = session_with(None, providers={"default": provider})
    events = await say(session, "where is my order?")
    await provider.aclose()
    assert only(HandoffAccepted, events).to_agent == HANDLER
    assert only(RunCompleted, events).usage.input_tokens == 22
    assert [event.text for event in events if isinstance(event, MessageCompleted)][-1] == "Hello."
    first, second = (json.loads(request.content) for request in server.requests)
    assert first["tools"][0]["function"]["parameters"]["properties"]["target"]["enum"] == [
        HANDLER,
        "human",
    ]
    assert [message["role"] for message in second["messages"]] == ["system", "user"]
    assert second["messages"][1]["content"].split("\n\n") == [
        "[Context from previous agent (agent-triage)]: Order 3.",
        "where is my order?",
        "[agent-triage]: One moment.",
        "[agent-triage]: Handed over to agent-handler (stage handling).",
    ]


def named_model() -> PipelineDefinition:
    return four_stages(
        agents=[agent.model_copy(update={"model": "m1"}) for agent in four_stages().agents]
    )


# From the environment


def test_the_scripted_provider_is_always_there():
    providers = providers_from_environment({})
    assert set(providers) == {"scripted", "default"}
    assert providers["default"] is providers["scripted"]


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OPENAI_API_KEY"])
def test_an_address_or_a_key_connects_a_server(name):
    providers = providers_from_environment({name: "http://models.test/v1", "OPENAI_MODEL": "m9"})
    assert providers["default"] is providers["openai_compatible"]
    assert providers["default"] is not providers["scripted"]
    assert providers["default"].model_of(with_messages(agent=Agent(id="agent-a", name="A"))) == "m9"


def test_a_pace_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match="BATON_TOKENS_PER_SECOND must be a number, not 'fast'"):
        providers_from_environment({"BATON_TOKENS_PER_SECOND": "fast"})
