"""OpenAI's Responses API: structured outputs, and the end of a response."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.providers.openai import ResponsesDecoder
from orchestration.providers.provider import Finished, Piece, TextPiece
from tests.orchestration.providers.vendor_exchange import LOOSE, request_body, value_at


@pytest.mark.parametrize("name", ["openai_compatible", "openai"])
async def test_a_schema_that_cannot_be_strict_is_sent_as_a_hint(name):
    body = await request_body(name, tools=(), response_schema=LOOSE)
    form = value_at(body, "response_format.json_schema") or value_at(body, "text.format")
    assert form["strict"] is False
    assert form["schema"] == LOOSE


def decoded(*events: dict[str, Any]) -> list[Piece]:
    decoder = ResponsesDecoder("m1")
    pieces = [piece for event in events for piece in decoder.decode(json.dumps(event).encode())]
    return [*pieces, *decoder.finish()]


@pytest.mark.parametrize(
    ("reason", "ending"), [("content_filter", "filtered"), ("max_output_tokens", "length")]
)
def test_an_incomplete_response_ends_with_its_reason(reason, ending):
    response = {"incomplete_details": {"reason": reason}, "usage": {"input_tokens": 3}}
    pieces = decoded(
        {"type": "response.output_text.delta", "delta": "Hi"},
        {"type": "response.incomplete", "response": response},
    )
    assert pieces == [TextPiece("Hi"), Finished(3, 0, ending)]


def test_reasoning_is_kept_without_the_status_of_the_server():
    item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "status": "completed"}
    [finished] = decoded(
        {"type": "response.output_item.done", "item": item}, {"type": "response.completed"}
    )
    assert isinstance(finished, Finished)
    assert finished.kept is not None
    assert finished.kept.parts == ({"type": "reasoning", "id": "rs_1", "encrypted_content": "x"},)
