"""Exchanges between a vendor's client and a server, for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from orchestration.definition import Agent
from orchestration.providers.http_client import VendorClient
from orchestration.providers.provider import (
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import four_stages
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
from tests.orchestration.vendor_streams import VENDORS, Vendor

LOOK_UP = ToolSpec(
    "look_up",
    "Looks a city up.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


HANDOFF_TOOL = ToolSpec(
    "handoff_conversation",
    "Hands over.",
    {"type": "object", "properties": {"target": {"enum": ["agent-b"]}}, "required": ["target"]},
    kind="handoff",
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
}

LOOSE = SCHEMA | {"required": ["city"]}
"""The schema with an optional property, which strict modes reject."""

each_vendor = pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)


def answering(vendor: Vendor, *chunks: bytes) -> httpx.Response:
    headers = {"content-type": vendor.content_type}
    return httpx.Response(200, headers=headers, stream=Bytes(list(chunks)))


def client_of(vendor: Vendor, server: Server, **options: Any) -> VendorClient:
    fields: dict[str, Any] = {"base_url": "http://models.test/v1", "api_key": KEY}
    fields |= {"retry_policy": QUICK, "transport": httpx.MockTransport(server)}
    return vendor.client(**fields | options)


async def exchange(
    vendor: Vendor, *chunks: bytes, request: ModelRequest = ASKED
) -> tuple[list[Piece], dict[str, Any]]:
    """Return the pieces of an answer, and the body of the request."""
    server = Server(answering(vendor, *chunks))
    pieces = await pieces_of(client_of(vendor, server, retry_policy=ONCE), request)
    return joined(pieces), json.loads(server.requests[0].content)


def decoded(vendor: Vendor, *chunks: bytes) -> list[Piece]:
    """Decode an answer without a request."""
    client = vendor.client(base_url="http://models.test/v1")
    reader, decoder = client.reader(), client.decoder(ASKED, "m1")
    pieces: list[Piece] = []
    for events in (*map(reader.feed, chunks), reader.close()):
        for data in events:
            pieces += decoder.decode(data)
            if decoder.ended:
                return joined([*pieces, *decoder.finish()])
    return joined([*pieces, *decoder.finish()])


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Join all text to one piece: the pieces may be split anywhere."""
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    others: list[Piece] = [piece for piece in pieces if not isinstance(piece, TextPiece)]
    return [TextPiece(text), *others] if text else others


def objects_in(value: Any) -> list[Any]:
    """Return all objects within a JSON value."""
    if isinstance(value, dict):
        return [value, *(item for part in value.values() for item in objects_in(part))]
    if isinstance(value, list):
        return [item for part in value for item in objects_in(part)]
    return []


def leaves_in(value: Any) -> list[Any]:
    """Return all values that are not containers within a JSON value."""
    if isinstance(value, dict):
        return [item for part in value.values() for item in leaves_in(part)]
    if isinstance(value, list):
        return [item for part in value for item in leaves_in(part)]
    return [value]


def agent(**settings: Any) -> Agent:
    return Agent(id="a", name="A", **{"model": "m1"} | settings)


async def request_body(
    name: str, *messages: PromptMessage, tools: Any = (LOOK_UP,), **settings: Any
):
    """Return the body of a vendor's request for an agent with these settings."""
    history = messages or (PromptMessage("user", "Where is it?"),)
    request = with_messages(*history, agent=agent(**settings), tools=tools)
    answer = VENDORS[name].answer
    return (await exchange(VENDORS[name], answer, request=request))[1]


def value_at(body: Any, path: str) -> Any:
    """Return the value at a path of keys, if there is one."""
    for key in path.split("."):
        body = body.get(key) if isinstance(body, dict) else None
    return body


def with_settings(**settings: Any) -> Any:
    """Return a definition with these settings on all agents."""
    definition = four_stages()
    agents = [agent.model_copy(update={"model": "m1"} | settings) for agent in definition.agents]
    return definition.model_copy(update={"agents": tuple(agents)})
