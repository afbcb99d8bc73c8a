"""Clients of all vendors with exchanges in the published formats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import httpx
import msgspec
import pytest

from orchestration.definition import Agent
from orchestration.events import RunFailed
from orchestration.exceptions import ProviderError
from orchestration.messages import InboundMessage, ToolCall
from orchestration.providers import VENDORS as CONNECTABLE
from orchestration.providers import providers_from_environment
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    Piece,
    PromptMessage,
    Retry,
    TextPiece,
)
from tests.orchestration.conversations import PlayedModel, say, session_with
from tests.orchestration.providers.completions_server import (
    KEY,
    Server,
    pieces_of,
    with_messages,
)
from tests.orchestration.providers.vendor_exchange import (
    LOOK_UP,
    answering,
    client_of,
    decoded,
    each_vendor,
    exchange,
    joined,
    leaves_in,
    objects_in,
    with_settings,
)
from tests.orchestration.vendor_formats import ARGUMENTS
from tests.orchestration.vendor_streams import VENDORS

WRITTEN = json.dumps(ARGUMENTS, ensure_ascii=False)


# Answers


@each_vendor
async def test_text_calls_usage_and_kept_data_are_decoded(vendor):
    pieces, _ = await exchange(vendor, vendor.answer)
    assert pieces == list(vendor.pieces)


def paths(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each nested value."""
    keys: Iterable[Any] = value if isinstance(value, dict) else ()
    if isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield (*before, key)
        yield from paths(value[key], *before, key)


def altered(stream: bytes, other: Any) -> Iterator[bytes]:
    """Yield copies of a stream with one value of its events replaced."""
    lines = stream.split(b"\n")
    for place, line in enumerate(lines):
        head, brace, rest = line.partition(b"{")
        for *path, last in paths(json.loads(brace + rest)) if brace else ():
            event = json.loads(brace + rest)
            holder = event
            for key in path:
                holder = holder[key]
            holder[last] = other
            yield b"\n".join(
                [*lines[:place], head + json.dumps(event).encode(), *lines[place + 1 :]]
            )


@each_vendor
async def test_an_event_with_an_unknown_structure_is_an_error(vendor):
    refused = 0
    for stream in altered(vendor.answer, 5):
        try:
            await exchange(vendor, stream)
        except ProviderError:
            refused += 1
    assert refused > 3


@each_vendor
@pytest.mark.parametrize("loose", ["a\x00b", "\ud83d", {"a": "\ud83d\x00", "type": "error"}])
async def test_characters_that_cannot_be_stored_are_removed(vendor, loose):
    for raw in (vendor.answer, vendor.error, vendor.reasoned):
        for stream in altered(raw, loose):
            try:
                pieces, _ = await exchange(vendor, stream)
                text = msgspec.json.encode(pieces)
            except ProviderError as error:
                text = msgspec.json.encode(str(error))
            assert b"\\u0000" not in text.replace(b"\\\\", b"")  # an escaped backslash is allowed


@each_vendor
def test_the_pieces_do_not_depend_on_the_split_of_the_stream(vendor):
    whole = decoded(vendor, vendor.answer)
    for place in range(1, len(vendor.answer)):
        pieces = decoded(vendor, vendor.answer[:place], vendor.answer[place:])
        assert pieces == whole, place


@each_vendor
async def test_a_stream_can_be_decoded_byte_by_byte(vendor):
    pieces, _ = await exchange(vendor, *(bytes([byte]) for byte in vendor.answer))
    assert pieces == list(vendor.pieces)


# Failures


@each_vendor
def test_a_stream_that_ends_early_has_no_calls(vendor):
    """Either it is an error, or its calls are complete: no tool runs with broken arguments."""
    whole = calls_and_end(decoded(vendor, vendor.answer))
    for place in range(len(vendor.answer)):
        try:
            pieces = decoded(vendor, vendor.answer[:place])
        except ProviderError:
            continue
        rest = calls_and_end(pieces)
        assert [type(piece) for piece in rest] == [type(piece) for piece in whole], place
        assert rest[:-1] == whole[:-1], place


def calls_and_end(pieces: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in pieces if not isinstance(piece, TextPiece)]


@each_vendor
@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("cut_off", "broke off before its end"),
        ("error", r"reported an error: \[redacted\] fell\."),
    ],
)
async def test_failures_are_described_without_the_key(vendor, which, words):
    with pytest.raises(ProviderError, match=words) as failed:
        await exchange(vendor, getattr(vendor, which))
    assert KEY not in str(failed.value)


@each_vendor
async def test_a_call_cut_off_at_the_maximum_length_is_left_out(vendor):
    pieces, _ = await exchange(vendor, vendor.too_long)
    assert [piece for piece in pieces if isinstance(piece, CallPiece)] == []
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


@each_vendor
async def test_an_empty_answer_fails_only_the_turn(vendor):
    client = client_of(vendor, Server(answering(vendor, vendor.filtered)))
    try:
        session = session_with(providers={"default": client}, definition=with_settings())
        failed = (await say(session, "Hi"))[-1]
        assert isinstance(failed, RunFailed)
        assert "returned an empty answer" in failed.message
        session._turns.providers["default"] = PlayedModel([("Here I am.",)])  # type: ignore[index]
        assert (await say(session, "And now?"))[-1].type == "run.completed"
    finally:
        await client.aclose()


@each_vendor
@pytest.mark.parametrize(
    ("garbage", "words"), [(b"{", "not JSON"), (b"7", "not an object"), (b"[1]", "not an object")]
)
async def test_an_event_must_be_a_json_object(vendor, garbage, words):
    by_lines = vendor.content_type == "application/x-ndjson"
    sent = garbage + b"\n" if by_lines else b"data: " + garbage + b"\n\n"
    with pytest.raises(ProviderError, match=words):
        await exchange(vendor, sent)


@each_vendor
async def test_a_failure_before_the_first_piece_is_retried_and_reported(vendor):
    busy = httpx.Response(529, headers={"retry-after": "0"}, json={"error": {"message": "busy"}})
    server = Server(busy, answering(vendor, vendor.answer))
    retry, *pieces = await pieces_of(client_of(vendor, server))
    assert isinstance(retry, Retry)
    assert "overloaded" in retry.message
    assert joined(pieces) == list(vendor.pieces)


@each_vendor
async def test_a_refused_key_names_the_variable_and_not_the_key(vendor):
    refused = httpx.Response(401, json={"error": {"message": f"{KEY} is wrong"}})
    client = client_of(vendor, Server(refused))
    with pytest.raises(ProviderError, match=client.setting_names.key) as failed:
        await pieces_of(client)
    assert KEY not in str(failed.value)
    assert KEY not in repr(client)


# Requests


@each_vendor
async def test_the_key_is_in_a_header_and_not_in_the_address(vendor):
    server = Server(answering(vendor, vendor.answer))
    await pieces_of(client_of(vendor, server))
    [request] = server.requests
    assert any(KEY in value for value in request.headers.values())
    assert KEY not in str(request.url)
    assert request.url.host == "models.test"


@each_vendor
async def test_headers_of_the_connection_override_the_vendors(vendor):
    server = Server(answering(vendor, vendor.answer))
    headers = {"X-Team": "desk", "authorization": "Bearer another", "Accept": "*/*"}
    client = client_of(vendor, server, headers=headers)
    await pieces_of(client)
    [request] = server.requests
    assert request.headers["x-team"] == "desk"
    assert request.headers.get_list("authorization") == ["Bearer another"]
    assert request.headers.get_list("accept") == ["*/*"]
    assert request.headers["content-type"] == "application/json"
    assert "another" not in repr(client)


@each_vendor
@pytest.mark.parametrize(
    ("name", "value"),
    [("Host", "elsewhere.test"), ("content-length", "3"), ("X Y", "1"), ("X-Y", "1\r\nZ: 2")],
)
def test_headers_that_change_the_transport_are_an_error(vendor, name, value):
    with pytest.raises(ValueError, match="header"):
        vendor.client(base_url="http://models.test", headers={name: value})


@each_vendor
async def test_prompt_history_tools_and_settings_are_all_sent(vendor):
    request = with_messages(
        PromptMessage("user", "Where is it?"),
        PromptMessage(
            "assistant",
            "Let me see.",
            (ToolCall(id="call:1", name="look_up", arguments=WRITTEN),),
        ),
        PromptMessage("tool", "Error: no such city", tool_call_id="call:1"),
        PromptMessage("user", "[other]: In Poland.", speaker="other"),
        agent=Agent(id="a", name="A", model="m1", temperature=0.5, max_output_tokens=99),
        tools=(LOOK_UP,),
    )
    _, body = await exchange(vendor, vendor.answer, request=request)
    sent = json.dumps(body, ensure_ascii=False)
    for told in (
        "You are A.",
        "Be kind.",
        "Where is it?",
        "Let me see.",
        "Łódź 🙂",
        "no such city",
        "[other]: In Poland.",
        "Looks a city up.",
        "0.5",
        "99",
    ):
        assert told in sent, told


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini"])
async def test_kept_data_is_sent_back_unchanged_to_the_same_model_only(name):
    vendor = VENDORS[name]
    finished = vendor.pieces[-1]
    assert isinstance(finished, Finished)
    assert finished.kept is not None
    call = ToolCall(id="c1", name="look_up", arguments=json.dumps(ARGUMENTS))
    answered = PromptMessage("assistant", "Let me see: 🙂.", (call,), kept=finished.kept)
    history = [
        PromptMessage("user", "Hi"),
        answered,
        PromptMessage("tool", "Poland", tool_call_id="c1"),
    ]
    _, body = await exchange(vendor, vendor.answer, request=with_messages(*history))
    parts = json.loads(json.dumps(finished.kept.parts))
    sent = leaves_in(body)
    assert all(leaf in sent for part in parts for leaf in leaves_in(part))
    assert all(part in objects_in(body) for part in parts)

    other = Agent(id="a", name="A", model="m2")
    _, body = await exchange(vendor, vendor.answer, request=with_messages(*history, agent=other))
    assert all(part not in objects_in(body) for part in parts if len(part) > 1)


@each_vendor
async def test_kept_data_is_recorded_and_reaches_the_next_turn(vendor):
    finished = vendor.pieces[-1]
    assert isinstance(finished, Finished)
    server = Server(answering(vendor, vendor.answer), answering(vendor, vendor.answer))
    client = client_of(vendor, server)
    try:
        session = session_with(providers={"default": client}, definition=with_settings())
        events = [one async for one in session.receive(InboundMessage(id="1", text="Hi"))]
    finally:
        await client.aclose()
    [first, *_] = [event for event in events if event.type == "message.completed"]
    assert first.kept == finished.kept  # type: ignore[union-attr]
    kept = next(one.kept for one in session.history if one.role == "assistant")
    assert kept == finished.kept
    if kept is not None:
        second = json.loads(server.requests[1].content)
        assert all(msgspec.to_builtins(part) in objects_in(second) for part in kept.parts)


def test_every_vendor_is_connected_by_its_variables_and_the_first_is_the_default():
    for name, connectable in CONNECTABLE.items():
        prefix = connectable.prefix
        found = providers_from_environment({f"{prefix}_API_KEY": KEY, f"{prefix}_MODEL": "m1"})
        assert found[name].name == name
        assert found[name].model_of(with_messages(agent=Agent(id="a", name="A"))) == "m1"
        assert found["default"] is next(one for key, one in found.items() if key in CONNECTABLE)
    assert set(CONNECTABLE) == set(VENDORS)
    assert CONNECTABLE["ollama"].instructions == "Set OLLAMA_BASE_URL, and restart the server."
