"""The vendors' clients against exchanges in the vendors' published formats."""

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
from orchestration.providers.http_client import VendorClient
from orchestration.providers.provider import (
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    Retry,
    TextPiece,
)
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import PlayedModel, four_stages, say, session_with
from tests.orchestration.providers.completions_server import (
    ASKED,
    KEY,
    ONCE,
    QUICK,
    Bytes,
    Server,
    pieces_of,
    with_messages,
)
from tests.orchestration.vendor_formats import ARGUMENTS
from tests.orchestration.vendor_streams import VENDORS, Vendor

LOOK_UP = ToolSpec(
    "look_up",
    "Looks a city up.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)

WRITTEN = json.dumps(ARGUMENTS, ensure_ascii=False)

each = pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)


def answering(vendor: Vendor, *chunks: bytes) -> httpx.Response:
    headers = {"content-type": vendor.content_type}
    return httpx.Response(200, headers=headers, stream=Bytes(list(chunks)))


def client_of(vendor: Vendor, server: Server, **options: Any) -> VendorClient:
    fields: dict[str, Any] = {"base_url": "http://models.test/v1", "api_key": KEY}
    fields |= {"patience": QUICK, "transport": httpx.MockTransport(server)}
    return vendor.client(**fields | options)


async def heard(
    vendor: Vendor, *chunks: bytes, request: ModelRequest = ASKED
) -> tuple[list[Piece], dict[str, Any]]:
    """The pieces that become of an answer, and what was asked."""
    server = Server(answering(vendor, *chunks))
    pieces = await pieces_of(client_of(vendor, server, patience=ONCE), request)
    return joined(pieces), json.loads(server.requests[0].content)


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The same, with all text in one piece: how it is cut means nothing."""
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    others: list[Piece] = [piece for piece in pieces if not isinstance(piece, TextPiece)]
    return [TextPiece(text), *others] if text else others


# What comes


@each
async def test_text_calls_usage_and_what_is_to_go_back_are_understood(vendor):
    pieces, _ = await heard(vendor, vendor.answer)
    assert pieces == list(vendor.pieces)


def paths(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """The way to each value within a value."""
    keys: Iterable[Any] = value if isinstance(value, dict) else ()
    if isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield (*before, key)
        yield from paths(value[key], *before, key)


def built_otherwise(stream: bytes, other: Any) -> Iterator[bytes]:
    """The stream, each time with another value in the place of one of its events."""
    lines = stream.split(b"\n")
    for place, line in enumerate(lines):
        head, brace, rest = line.partition(b"{")
        for *way, last in paths(json.loads(brace + rest)) if brace else ():
            event = json.loads(brace + rest)
            holder = event
            for key in way:
                holder = holder[key]
            holder[last] = other
            yield b"\n".join(
                [*lines[:place], head + json.dumps(event).encode(), *lines[place + 1 :]]
            )


@each
async def test_what_is_not_built_as_the_vendors_events_are_is_an_error_of_the_model(vendor):
    refused = 0
    for stream in built_otherwise(vendor.answer, 5):
        try:
            await heard(vendor, stream)
        except ProviderError:
            refused += 1
    assert refused > 3


@each
@pytest.mark.parametrize("loose", ["a\x00b", "\ud83d", {"a": "\ud83d\x00", "type": "error"}])
async def test_what_no_event_can_carry_is_left_out_of_what_a_vendor_says(vendor, loose):
    for raw in (vendor.answer, vendor.error, vendor.reasoned):
        for stream in built_otherwise(raw, loose):
            try:
                pieces, _ = await heard(vendor, stream)
                said = msgspec.json.encode(pieces)
            except ProviderError as error:
                said = msgspec.json.encode(str(error))
            assert b"\\u0000" not in said.replace(b"\\\\", b"")  # a backslash may be said


@each
async def test_the_same_is_understood_wherever_the_stream_is_cut(vendor):
    for place in range(1, len(vendor.answer)):
        pieces, _ = await heard(vendor, vendor.answer[:place], vendor.answer[place:])
        assert pieces == list(vendor.pieces), place


@each
async def test_the_same_is_understood_byte_by_byte(vendor):
    pieces, _ = await heard(vendor, *(bytes([byte]) for byte in vendor.answer))
    assert pieces == list(vendor.pieces)


# What goes wrong


@each
async def test_of_a_stream_that_ends_anywhere_before_its_end_no_call_is_made(vendor):
    """Half an answer is an error, or it has no calls: no tool runs from half an argument."""
    whole = [piece for piece in vendor.pieces if not isinstance(piece, TextPiece)]
    for place in range(len(vendor.answer)):
        try:
            pieces, _ = await heard(vendor, vendor.answer[:place])
        except ProviderError:
            continue
        rest = [piece for piece in pieces if not isinstance(piece, TextPiece)]
        assert [type(one) for one in rest] == [type(one) for one in whole], place
        assert rest[:-1] == whole[:-1], place


@each
@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("cut_off", "broke off before its end"),
        ("too_long", "cut off in the middle of a tool call: raise the agent's max_output_tokens"),
        ("error", r"reported an error: \[key\] fell"),
    ],
)
async def test_what_goes_wrong_is_said_in_a_sentence_without_the_key(vendor, which, words):
    with pytest.raises(ProviderError, match=words) as failed:
        await heard(vendor, getattr(vendor, which))
    assert KEY not in str(failed.value)


@each
async def test_an_answer_that_says_nothing_fails_the_turn_and_the_conversation_goes_on(vendor):
    client = client_of(vendor, Server(answering(vendor, vendor.filtered)))
    try:
        session = session_with(providers={"default": client}, definition=_of_model("m1"))
        failed = (await say(session, "Hi"))[-1]
        assert isinstance(failed, RunFailed)
        assert "answered with nothing" in failed.message
        session._turns.providers["default"] = PlayedModel([("Here I am.",)])  # type: ignore[index]
        assert (await say(session, "And now?"))[-1].type == "run.completed"
    finally:
        await client.aclose()


@each
@pytest.mark.parametrize(
    ("garbage", "words"), [(b"{", "not JSON"), (b"7", "not an object"), (b"[1]", "not an object")]
)
async def test_an_event_that_is_no_object_of_json_is_an_error(vendor, garbage, words):
    by_lines = vendor.content_type == "application/x-ndjson"
    sent = garbage + b"\n" if by_lines else b"data: " + garbage + b"\n\n"
    with pytest.raises(ProviderError, match=words):
        await heard(vendor, sent)


@each
async def test_it_asks_again_before_the_first_piece_and_tells_of_it(vendor):
    busy = httpx.Response(529, headers={"retry-after": "0"}, json={"error": {"message": "busy"}})
    server = Server(busy, answering(vendor, vendor.answer))
    retry, *pieces = await pieces_of(client_of(vendor, server))
    assert isinstance(retry, Retry)
    assert "overloaded" in retry.message
    assert joined(pieces) == list(vendor.pieces)


@each
async def test_a_refused_key_names_the_variable_and_not_the_key(vendor):
    refused = httpx.Response(401, json={"error": {"message": f"{KEY} is wrong"}})
    client = client_of(vendor, Server(refused))
    with pytest.raises(ProviderError, match=client.variables.key) as failed:
        await pieces_of(client)
    assert KEY not in str(failed.value)
    assert KEY not in repr(client)


# What is sent


@each
async def test_the_key_is_in_a_header_and_never_in_the_address(vendor):
    server = Server(answering(vendor, vendor.answer))
    await pieces_of(client_of(vendor, server))
    [asked] = server.requests
    assert any(KEY in value for value in asked.headers.values())
    assert KEY not in str(asked.url)
    assert asked.url.host == "models.test"


@each
async def test_headers_of_the_connection_go_along_over_the_vendors_own(vendor):
    server = Server(answering(vendor, vendor.answer))
    headers = {"X-Team": "desk", "authorization": "Bearer another", "Accept": "*/*"}
    client = client_of(vendor, server, headers=headers)
    await pieces_of(client)
    [asked] = server.requests
    assert asked.headers["x-team"] == "desk"
    assert asked.headers.get_list("authorization") == ["Bearer another"]
    assert asked.headers.get_list("accept") == ["*/*"]
    assert asked.headers["content-type"] == "application/json"
    assert "another" not in repr(client)


@each
@pytest.mark.parametrize(
    ("name", "value"),
    [("Host", "elsewhere.test"), ("content-length", "3"), ("X Y", "1"), ("X-Y", "1\r\nZ: 2")],
)
def test_a_header_that_would_change_how_a_request_is_sent_is_refused(vendor, name, value):
    with pytest.raises(ValueError, match="header"):
        vendor.client(base_url="http://models.test", headers={name: value})


@each
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
    _, body = await heard(vendor, vendor.answer, request=request)
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
async def test_what_the_vendor_wants_back_is_sent_back_unchanged_to_the_same_model_alone(name):
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
    _, body = await heard(vendor, vendor.answer, request=with_messages(*history))
    parts = json.loads(json.dumps(finished.kept.parts))
    sent = _leaves(body)
    assert all(leaf in sent for part in parts for leaf in _leaves(part))
    assert all(part in _objects(body) for part in parts)

    other = Agent(id="a", name="A", model="m2")
    _, body = await heard(vendor, vendor.answer, request=with_messages(*history, agent=other))
    assert all(part not in _objects(body) for part in parts if len(part) > 1)


@each
async def test_what_is_to_go_back_lives_in_the_events_and_reaches_the_next_turn(vendor):
    finished = vendor.pieces[-1]
    assert isinstance(finished, Finished)
    server = Server(answering(vendor, vendor.answer), answering(vendor, vendor.answer))
    client = client_of(vendor, server)
    try:
        session = session_with(providers={"default": client}, definition=_of_model("m1"))
        events = [one async for one in session.receive(InboundMessage(id="1", text="Hi"))]
    finally:
        await client.aclose()
    [first, *_] = [event for event in events if event.type == "message.completed"]
    assert first.kept == finished.kept  # type: ignore[union-attr]
    kept = next(one.kept for one in session.history if one.role == "assistant")
    assert kept == finished.kept
    if kept is not None:
        second = json.loads(server.requests[1].content)
        assert all(msgspec.to_builtins(part) in _objects(second) for part in kept.parts)


def test_every_vendor_is_connected_by_its_variables_and_the_first_is_the_default():
    for name, connectable in CONNECTABLE.items():
        prefix = connectable.prefix
        found = providers_from_environment({f"{prefix}_API_KEY": KEY, f"{prefix}_MODEL": "m1"})
        assert found[name].name == name
        assert found[name].model_of(with_messages(agent=Agent(id="a", name="A"))) == "m1"
        assert found["default"] is next(one for key, one in found.items() if key in CONNECTABLE)
    assert set(CONNECTABLE) == set(VENDORS)
    assert CONNECTABLE["ollama"].instructions == "Set OLLAMA_BASE_URL, and start the server again."


def _of_model(model: str) -> Any:
    definition = four_stages()
    agents = [agent.model_copy(update={"model": model}) for agent in definition.agents]
    return definition.model_copy(update={"agents": tuple(agents)})


def _objects(value: Any) -> list[Any]:
    """All objects within a value of JSON."""
    if isinstance(value, dict):
        return [value, *(found for part in value.values() for found in _objects(part))]
    if isinstance(value, list):
        return [found for part in value for found in _objects(part)]
    return []


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [found for part in value.values() for found in _leaves(part)]
    if isinstance(value, list):
        return [found for part in value for found in _leaves(part)]
    return [value]
