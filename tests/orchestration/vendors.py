"""What the vendors' servers send, in their published formats, for the tests of their clients.

Written from the vendors' documentation: OpenAI's guide to streaming responses and the reference of
its events; Anthropic's page on streaming messages (with tool use and with extended thinking);
Gemini's reference of streamGenerateContent and guide to thought signatures; Ollama's API reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orchestration.messages import Kept, ToolCall
from orchestration.providers.anthropic import AnthropicProvider
from orchestration.providers.base import CallPiece, Finished, Piece, TextPiece
from orchestration.providers.client import VendorClient
from orchestration.providers.gemini import GeminiProvider
from orchestration.providers.ollama import OllamaProvider
from orchestration.providers.openai import OpenAIProvider
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from tests.orchestration.completions import chunk, part

ARGUMENTS = {"city": "Łódź 🙂"}


def sse(*events: dict[str, Any], named: bool = False, end: str = "\n\n") -> bytes:
    """Events as they are sent; `named` ones say their type in a line of its own."""
    lines = []
    for event in events:
        name = f"event: {event['type']}{end[: len(end) // 2]}" if named else ""
        lines.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}{end}")
    return "".join(lines).encode()


def by_lines(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in lines)


@dataclass(frozen=True)
class Vendor:
    """A vendor's client, and what its server sends."""

    client: Callable[..., VendorClient]
    answer: bytes
    """Some text, and a call of `look_up` with the arguments above."""
    pieces: tuple[Piece, ...]
    """What becomes of it; the text may come in other pieces."""
    cut_off: bytes
    """The beginning of an answer, as it comes where the connection breaks."""
    too_long: bytes
    """An answer that reached its limit in the middle of a call."""
    filtered: bytes
    """An answer that the vendor's content filter held back; it says nothing."""
    error: bytes
    """An error in the stream, after it has begun."""
    long: bytes
    """An answer in words that reached the bound on its length."""
    refused: bytes = b""
    """An answer in which the model refuses, where the vendor tells that apart."""
    reasoned: bytes = b""
    """Some reasoning in pieces, and a call that came of it, where it is told beside the answer."""
    content_type: str = "text/event-stream"


def _finished(
    sent: int, answered: int, kept: Kept | None = None, request_id: str | None = None
) -> Finished:
    return Finished(sent, answered, "stop", kept, request_id)


def _call(call_id: str = "", arguments: str | None = None) -> CallPiece:
    written = json.dumps(ARGUMENTS, ensure_ascii=False) if arguments is None else arguments
    return CallPiece(ToolCall(id=call_id, name="look_up", arguments=written))


_SAID = TextPiece("Let me see: 🙂.")
_COMPACT = json.dumps(ARGUMENTS, ensure_ascii=False, separators=(",", ":"))


# Chat completions

_WRITTEN = json.dumps(ARGUMENTS, ensure_ascii=False)


def _detailed(text: str, **fields: Any) -> dict[str, Any]:
    detail = {"type": "reasoning.text", "text": text, "index": 0} | fields
    return {"content": "", "reasoning_content": text, "reasoning_details": [detail]}


CHAT = Vendor(
    OpenAICompatibleProvider,
    answer=b"".join(
        [
            chunk({"role": "assistant", "content": "Let me "}),
            chunk({"content": "see: 🙂."}),
            chunk(part(0, "call_1", "look_up", _WRITTEN[:9])),
            chunk(part(0, None, None, _WRITTEN[9:])),
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
            chunk(_detailed("A city, ", signature="s1")),
            chunk(_detailed("then.")),
            chunk(part(0, "call_1", "look_up", "{}")),
            chunk({}, "tool_calls"),
        ]
    ),
    error=chunk({"content": "Let"}) + b'data: {"error": {"message": "sk-very-secret fell"}}\n\n',
)


# Responses

_REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [],
    "encrypted_content": "gAAAA",
}
_DONE_CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "look_up",
    "arguments": _WRITTEN,
}


def _text_event(delta: str) -> dict[str, Any]:
    return {
        "type": "response.output_text.delta",
        "item_id": "msg_1",
        "output_index": 1,
        "content_index": 0,
        "delta": delta,
    }


def _response_event(kind: str, **fields: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 18,
    }
    response = {"id": "resp_1", "object": "response", "model": "m1", "usage": usage} | fields
    return {"type": f"response.{kind}", "response": response}


RESPONSES = Vendor(
    OpenAIProvider,
    answer=sse(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": _REASONING},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": _REASONING | {"status": "completed"},
        },
        _text_event("Let me "),
        _text_event("see: 🙂."),
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": 2,
            "delta": _WRITTEN[:9],
        },
        {"type": "response.output_item.done", "output_index": 2, "item": _DONE_CALL},
        _response_event("completed", status="completed"),
        named=True,
    ),
    pieces=(
        _SAID,
        _call("call_1"),
        _finished(11, 7, Kept(dialect="responses", model="m1", parts=(_REASONING,)), "resp_1"),
    ),
    cut_off=sse(_text_event("Let me "), named=True),
    too_long=sse(
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": _DONE_CALL | {"arguments": "{", "status": "incomplete"},
        },
        _response_event("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        named=True,
    ),
    filtered=sse(
        _response_event("incomplete", incomplete_details={"reason": "content_filter"}), named=True
    ),
    long=sse(
        _text_event("Let me "),
        _response_event("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        named=True,
    ),
    refused=sse(
        {"type": "response.refusal.delta", "item_id": "msg_1", "delta": "I cannot help "},
        {"type": "response.refusal.delta", "item_id": "msg_1", "delta": "with that."},
        _response_event("completed", status="completed"),
        named=True,
    ),
    error=sse(
        _text_event("Let"),
        _response_event("failed", error={"code": "x", "message": "sk-very-secret fell"}),
        named=True,
    ),
)


# Messages

_THINKING = {"type": "thinking", "thinking": "A city, then.", "signature": "EqQBCg=="}


def _delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


_MESSAGE_START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m1",
        "stop_reason": None,
        "usage": {
            "input_tokens": 5,
            "cache_creation_input_tokens": 2,
            "cache_read_input_tokens": 4,
            "output_tokens": 1,
        },
    },
}


def _message_end(reason: str, answered: int = 7) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": answered}},
        {"type": "message_stop"},
    ]


MESSAGES = Vendor(
    AnthropicProvider,
    answer=sse(
        _MESSAGE_START,
        _block(0, type="thinking", thinking="", signature=""),
        {"type": "ping"},
        _delta(0, type="thinking_delta", thinking="A city, "),
        _delta(0, type="thinking_delta", thinking="then."),
        _delta(0, type="signature_delta", signature="EqQBCg=="),
        {"type": "content_block_stop", "index": 0},
        _block(1, type="text", text=""),
        _delta(1, type="text_delta", text="Let me "),
        _delta(1, type="text_delta", text="see: 🙂."),
        {"type": "content_block_stop", "index": 1},
        _block(2, type="tool_use", id="toolu_1", name="look_up", input={}),
        _delta(2, type="input_json_delta", partial_json=""),
        _delta(2, type="input_json_delta", partial_json=_WRITTEN[:9]),
        _delta(2, type="input_json_delta", partial_json=_WRITTEN[9:]),
        {"type": "content_block_stop", "index": 2},
        *_message_end("tool_use"),
        named=True,
    ),
    pieces=(
        _SAID,
        _call("toolu_1"),
        _finished(11, 7, Kept(dialect="anthropic", model="m1", parts=(_THINKING,)), "msg_1"),
    ),
    cut_off=sse(
        _MESSAGE_START,
        _block(0, type="text", text=""),
        _delta(0, type="text_delta", text="Let me "),
        named=True,
    ),
    too_long=sse(
        _MESSAGE_START,
        _block(0, type="tool_use", id="toolu_1", name="look_up", input={}),
        _delta(0, type="input_json_delta", partial_json="{"),
        *_message_end("max_tokens"),
        named=True,
    ),
    filtered=sse(_MESSAGE_START, *_message_end("refusal"), named=True),
    long=sse(
        _MESSAGE_START,
        _block(0, type="text", text=""),
        _delta(0, type="text_delta", text="Let me "),
        *_message_end("max_tokens"),
        named=True,
    ),
    refused=sse(
        _MESSAGE_START,
        _block(0, type="text", text=""),
        _delta(0, type="text_delta", text="I cannot help with that."),
        *_message_end("refusal"),
        named=True,
    ),
    error=sse(
        _MESSAGE_START,
        {
            "type": "error",
            "error": {"type": "overloaded_error", "message": "sk-very-secret fell"},
        },
        named=True,
    ),
)


# Gemini


def _candidate(*parts: dict[str, Any], reason: str = "") -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    if reason:
        candidate["finishReason"] = reason
    usage = {
        "promptTokenCount": 11,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 18,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m1"}


_SIGNED_CALL = {
    "functionCall": {"name": "look_up", "args": ARGUMENTS},
    "thoughtSignature": "CpcBAd==",
}

GEMINI = Vendor(
    GeminiProvider,
    answer=sse(
        _candidate({"text": "Considering the city.", "thought": True}),
        _candidate({"text": "Let me "}),
        _candidate({"text": "see: 🙂."}),
        _candidate(_SIGNED_CALL),
        _candidate({"text": ""}, reason="STOP"),
        end="\r\n\r\n",
    ),
    pieces=(
        _SAID,
        _call("", _COMPACT),
        _finished(
            11,
            7,
            Kept(
                dialect="gemini",
                model="m1",
                parts=({"text": "Let me see: 🙂."}, _SIGNED_CALL, {"text": ""}),
            ),
        ),
    ),
    cut_off=sse(_candidate({"text": "Let me "})),
    too_long=sse(_candidate(_SIGNED_CALL), _candidate(reason="MAX_TOKENS")),
    filtered=sse(_candidate(reason="SAFETY")),
    long=sse(_candidate({"text": "Let me "}), _candidate(reason="MAX_TOKENS")),
    error=sse(_candidate({"text": "Let"}), {"error": {"message": "sk-very-secret fell"}}),
)


# Ollama


def _line(content: str = "", **fields: Any) -> dict[str, Any]:
    calls = fields.pop("tool_calls", None)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = calls
    if thinking := fields.pop("thinking", None):
        message["thinking"] = thinking
    created = "2026-01-01T12:00:00.000000Z"
    return {"model": "m1", "created_at": created, "message": message, "done": False} | fields


_OLLAMA_END: dict[str, Any] = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 5_000_000,
    "prompt_eval_count": 11,
    "eval_count": 7,
}
_OLLAMA_CALL = [{"function": {"name": "look_up", "arguments": ARGUMENTS}}]


def spoken_by_ollama(*texts: str) -> list[dict[str, Any]]:
    """The lines of an answer in these pieces."""
    return [*map(_line, texts), _line(**_OLLAMA_END)]


OLLAMA = Vendor(
    OllamaProvider,
    answer=by_lines(
        _line("Let me "),
        _line("see: 🙂."),
        _line(tool_calls=_OLLAMA_CALL),
        _line(**_OLLAMA_END),
    ),
    pieces=(_SAID, _call("", _COMPACT), _finished(11, 7)),
    cut_off=by_lines(_line("Let me ")),
    too_long=by_lines(
        _line(tool_calls=_OLLAMA_CALL), _line(**_OLLAMA_END | {"done_reason": "length"})
    ),
    filtered=by_lines(_line(**_OLLAMA_END)),
    long=by_lines(_line("Let me "), _line(**_OLLAMA_END | {"done_reason": "length"})),
    reasoned=by_lines(
        _line(thinking="A city, "),
        _line(thinking="then."),
        _line(tool_calls=_OLLAMA_CALL),
        _line(**_OLLAMA_END),
    ),
    error=by_lines(_line("Let"), {"error": "sk-very-secret fell"}),
    content_type="application/x-ndjson",
)

VENDORS = {
    "openai_compatible": CHAT,
    "openai": RESPONSES,
    "anthropic": MESSAGES,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}
