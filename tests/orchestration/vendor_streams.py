"""Streams of the vendors' servers, for the tests of their clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from orchestration.messages import ProviderState, ToolCall
from orchestration.providers.anthropic import AnthropicProvider
from orchestration.providers.gemini import GeminiProvider
from orchestration.providers.http_client import VendorClient
from orchestration.providers.ollama import OllamaProvider
from orchestration.providers.openai import OpenAIProvider
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from orchestration.providers.provider import CallPiece, Finished, Piece, TextPiece
from tests.orchestration.providers.completions_server import chunk, part
from tests.orchestration.vendor_formats import (
    ARGUMENTS,
    DONE_CALL,
    MESSAGE_START,
    OLLAMA_CALL,
    OLLAMA_END,
    REASONING,
    SIGNED_CALL,
    WRITTEN,
    block,
    by_lines,
    candidate,
    delta,
    detailed,
    line,
    message_end,
    response_event,
    sse,
    text_event,
)


@dataclass(frozen=True)
class Vendor:
    """Client of a vendor, and streams of its server."""

    client: Callable[..., VendorClient]
    answer: bytes
    """Text and a call of `look_up` with the arguments above."""
    pieces: tuple[Piece, ...]
    """Pieces of the answer; the text may be split differently."""
    cut_off: bytes
    """Beginning of an answer whose connection breaks."""
    too_long: bytes
    """Answer that reached its length limit within a call."""
    filtered: bytes
    """Empty answer of the vendor's content filter."""
    error: bytes
    """Error within the stream."""
    long: bytes
    """Text that reached its length limit."""
    refused: bytes = b""
    """Refusal of the model, for vendors that mark refusals."""
    reasoned: bytes = b""
    """Reasoning in pieces and its call, for vendors that stream reasoning."""
    content_type: str = "text/event-stream"


def _finished(
    sent: int, answered: int, kept: ProviderState | None = None, request_id: str | None = None
) -> Finished:
    return Finished(sent, answered, "stop", kept, request_id)


def _call(call_id: str = "", arguments: str | None = None) -> CallPiece:
    written = json.dumps(ARGUMENTS, ensure_ascii=False) if arguments is None else arguments
    return CallPiece(ToolCall(id=call_id, name="look_up", arguments=written))


_SAID = TextPiece("Let me see: 🙂.")
_COMPACT = json.dumps(ARGUMENTS, ensure_ascii=False, separators=(",", ":"))


# Chat completions

CHAT = Vendor(
    OpenAICompatibleProvider,
    answer=b"".join(
        [
            chunk({"role": "assistant", "content": "Let me "}),
            chunk({"content": "see: 🙂."}),
            chunk(part(0, "call_1", "look_up", WRITTEN[:9])),
            chunk(part(0, None, None, WRITTEN[9:])),
            chunk({}, "tool_calls"),
            b'data: {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}\n\n',
            b"data: [DONE]\n\n",
        ]
    ),
    pieces=(_SAID, _call("call_1"), _finished(11, 7)),
    cut_off=chunk({"content": "Let me "}),
    too_long=chunk(part(0, "call_1", "look_up", "{")) + chunk({}, "length"),
    filtered=chunk({}, "content_filter"),
    long=chunk({"content": "Let me "}) + chunk({}, "length"),
    refused=chunk({"refusal": "I cannot help "}) + chunk({"refusal": "with that."}, "stop"),
    reasoned=b"".join(
        [
            chunk(detailed("A city, ", signature="s1")),
            chunk(detailed("then.")),
            chunk(part(0, "call_1", "look_up", "{}")),
            chunk({}, "tool_calls"),
        ]
    ),
    error=chunk({"content": "Let"}) + b'data: {"error": {"message": "sk-very-secret fell"}}\n\n',
)


# Responses

RESPONSES = Vendor(
    OpenAIProvider,
    answer=sse(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": REASONING},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": REASONING | {"status": "completed"},
        },
        text_event("Let me "),
        text_event("see: 🙂."),
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": 2,
            "delta": WRITTEN[:9],
        },
        {"type": "response.output_item.done", "output_index": 2, "item": DONE_CALL},
        response_event("completed", status="completed"),
        named=True,
    ),
    pieces=(
        _SAID,
        _call("call_1"),
        _finished(
            11, 7, ProviderState(dialect="responses", model="m1", parts=(REASONING,)), "resp_1"
        ),
    ),
    cut_off=sse(text_event("Let me "), named=True),
    too_long=sse(
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": DONE_CALL | {"arguments": "{", "status": "incomplete"},
        },
        response_event("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        named=True,
    ),
    filtered=sse(
        response_event("incomplete", incomplete_details={"reason": "content_filter"}), named=True
    ),
    long=sse(
        text_event("Let me "),
        response_event("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        named=True,
    ),
    refused=sse(
        {"type": "response.refusal.delta", "item_id": "msg_1", "delta": "I cannot help "},
        {"type": "response.refusal.delta", "item_id": "msg_1", "delta": "with that."},
        response_event("completed", status="completed"),
        named=True,
    ),
    error=sse(
        text_event("Let"),
        response_event("failed", error={"code": "x", "message": "sk-very-secret fell"}),
        named=True,
    ),
)


# Messages

_THINKING = {"type": "thinking", "thinking": "A city, then.", "signature": "EqQBCg=="}


MESSAGES = Vendor(
    AnthropicProvider,
    answer=sse(
        MESSAGE_START,
        block(0, type="thinking", thinking="", signature=""),
        {"type": "ping"},
        delta(0, type="thinking_delta", thinking="A city, "),
        delta(0, type="thinking_delta", thinking="then."),
        delta(0, type="signature_delta", signature="EqQBCg=="),
        {"type": "content_block_stop", "index": 0},
        block(1, type="text", text=""),
        delta(1, type="text_delta", text="Let me "),
        delta(1, type="text_delta", text="see: 🙂."),
        {"type": "content_block_stop", "index": 1},
        block(2, type="tool_use", id="toolu_1", name="look_up", input={}),
        delta(2, type="input_json_delta", partial_json=""),
        delta(2, type="input_json_delta", partial_json=WRITTEN[:9]),
        delta(2, type="input_json_delta", partial_json=WRITTEN[9:]),
        {"type": "content_block_stop", "index": 2},
        *message_end("tool_use"),
        named=True,
    ),
    pieces=(
        _SAID,
        _call("toolu_1"),
        _finished(
            11, 7, ProviderState(dialect="anthropic", model="m1", parts=(_THINKING,)), "msg_1"
        ),
    ),
    cut_off=sse(
        MESSAGE_START,
        block(0, type="text", text=""),
        delta(0, type="text_delta", text="Let me "),
        named=True,
    ),
    too_long=sse(
        MESSAGE_START,
        block(0, type="tool_use", id="toolu_1", name="look_up", input={}),
        delta(0, type="input_json_delta", partial_json="{"),
        *message_end("max_tokens"),
        named=True,
    ),
    filtered=sse(MESSAGE_START, *message_end("refusal"), named=True),
    long=sse(
        MESSAGE_START,
        block(0, type="text", text=""),
        delta(0, type="text_delta", text="Let me "),
        *message_end("max_tokens"),
        named=True,
    ),
    refused=sse(
        MESSAGE_START,
        block(0, type="text", text=""),
        delta(0, type="text_delta", text="I cannot help with that."),
        *message_end("refusal"),
        named=True,
    ),
    error=sse(
        MESSAGE_START,
        {
            "type": "error",
            "error": {"type": "overloaded_error", "message": "sk-very-secret fell"},
        },
        named=True,
    ),
)


# Gemini


GEMINI = Vendor(
    GeminiProvider,
    answer=sse(
        candidate({"text": "Considering the city.", "thought": True}),
        candidate({"text": "Let me "}),
        candidate({"text": "see: 🙂."}),
        candidate(SIGNED_CALL),
        candidate({"text": ""}, reason="STOP"),
        end="\r\n\r\n",
    ),
    pieces=(
        _SAID,
        _call("", _COMPACT),
        _finished(
            11,
            7,
            ProviderState(
                dialect="gemini",
                model="m1",
                parts=({"text": "Let me see: 🙂."}, SIGNED_CALL, {"text": ""}),
            ),
        ),
    ),
    cut_off=sse(candidate({"text": "Let me "})),
    too_long=sse(candidate(SIGNED_CALL), candidate(reason="MAX_TOKENS")),
    filtered=sse(candidate(reason="SAFETY")),
    long=sse(candidate({"text": "Let me "}), candidate(reason="MAX_TOKENS")),
    error=sse(candidate({"text": "Let"}), {"error": {"message": "sk-very-secret fell"}}),
)


# Ollama


OLLAMA = Vendor(
    OllamaProvider,
    answer=by_lines(
        line("Let me "),
        line("see: 🙂."),
        line(tool_calls=OLLAMA_CALL),
        line(**OLLAMA_END),
    ),
    pieces=(_SAID, _call("", _COMPACT), _finished(11, 7)),
    cut_off=by_lines(line("Let me ")),
    too_long=by_lines(line(tool_calls=OLLAMA_CALL), line(**OLLAMA_END | {"done_reason": "length"})),
    filtered=by_lines(line(**OLLAMA_END)),
    long=by_lines(line("Let me "), line(**OLLAMA_END | {"done_reason": "length"})),
    reasoned=by_lines(
        line(thinking="A city, "),
        line(thinking="then."),
        line(tool_calls=OLLAMA_CALL),
        line(**OLLAMA_END),
    ),
    error=by_lines(line("Let"), {"error": "sk-very-secret fell"}),
    content_type="application/x-ndjson",
)

VENDORS = {
    "openai_compatible": CHAT,
    "openai": RESPONSES,
    "anthropic": MESSAGES,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}
