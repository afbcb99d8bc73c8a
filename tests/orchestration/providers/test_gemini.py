"""Gemini: ids and signatures of calls, and its stop reasons."""

from __future__ import annotations

import json

import pytest

from orchestration.exceptions import ProviderError
from orchestration.providers.gemini import GeminiDecoder, GeminiProvider
from orchestration.providers.provider import CallPiece, Finished, PromptMessage, TextPiece
from tests.orchestration.providers.vendor_exchange import exchange, request_body
from tests.orchestration.vendor_streams import VENDORS


async def test_a_result_has_the_id_of_its_call_only_for_the_same_model():
    signed = {
        "functionCall": {"id": "g1", "name": "look_up", "args": {}},
        "thoughtSignature": "Cp==",
    }
    pieces, _ = await exchange(
        VENDORS["gemini"],
        b"data: "
        + json.dumps(
            {"candidates": [{"content": {"parts": [signed]}, "finishReason": "STOP"}]}
        ).encode()
        + b"\n\n",
    )
    called, finished = pieces
    assert isinstance(called, CallPiece)
    assert isinstance(finished, Finished)
    history = (
        PromptMessage("user", "Hi"),
        PromptMessage("assistant", "", (called.call,), kept=finished.kept),
        PromptMessage("tool", "Poland", tool_call_id="g1"),
    )
    body = await request_body("gemini", *history)
    assert body["contents"][2]["parts"][0]["functionResponse"]["id"] == "g1"
    stranger = await request_body("gemini", *history, model="m2")
    assert "id" not in stranger["contents"][2]["parts"][0]["functionResponse"]


def test_the_model_is_a_part_of_the_address_and_the_key_is_not():
    client = GeminiProvider(base_url="http://models.test/v1beta/", api_key="sk-1")
    assert client.url("models/gemini 3") == (
        "http://models.test/v1beta/models/gemini%203:streamGenerateContent?alt=sse"
    )
    assert client.headers() == {"x-goog-api-key": "sk-1"}


def test_summaries_of_thoughts_are_not_text_and_their_tokens_are_output():
    parts = [{"text": "Hm.", "thought": True}, {"text": "Hi."}]
    chunk = {
        "candidates": [{"content": {"parts": parts}, "finishReason": "SAFETY"}],
        "usageMetadata": {
            "promptTokenCount": 4,
            "candidatesTokenCount": 1,
            "thoughtsTokenCount": 2,
        },
    }
    decoder = GeminiDecoder("m1")
    assert list(decoder.decode(json.dumps(chunk).encode())) == [TextPiece("Hi.")]
    assert list(decoder.finish()) == [Finished(4, 3, "filtered")]


def test_a_blocked_question_is_an_error_with_the_reason():
    event = json.dumps({"promptFeedback": {"blockReason": "SAFETY"}}).encode()
    with pytest.raises(ProviderError, match=r"blocked the question \(SAFETY\)"):
        list(GeminiDecoder("m1").decode(event))
