"""Events of the vendors' streams, in their published formats.

Written from the vendors' documentation: OpenAI's guide to streaming responses and the reference of
its events; Anthropic's page on streaming messages (with tool use and with extended thinking);
Gemini's reference of streamGenerateContent and guide to thought signatures; Ollama's API reference.
"""

from __future__ import annotations

import json
from typing import Any

ARGUMENTS = {"city": "Łódź 🙂"}


WRITTEN = json.dumps(ARGUMENTS, ensure_ascii=False)


def sse(*events: dict[str, Any], named: bool = False, end: str = "\n\n") -> bytes:
    """Encode events as a stream; `named` events have their type in a separate line."""
    lines = []
    for event in events:
        name = f"event: {event['type']}{end[: len(end) // 2]}" if named else ""
        lines.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}{end}")
    return "".join(lines).encode()


def by_lines(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in lines)


def detailed(text: str, **fields: Any) -> dict[str, Any]:
    detail = {"type": "reasoning.text", "text": text, "index": 0} | fields
    return {"content": "", "reasoning_content": text, "reasoning_details": [detail]}


REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [],
    "encrypted_content": "gAAAA",
}


DONE_CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "look_up",
    "arguments": WRITTEN,
}


def text_event(delta: str) -> dict[str, Any]:
    return {
        "type": "response.output_text.delta",
        "item_id": "msg_1",
        "output_index": 1,
        "content_index": 0,
        "delta": delta,
    }


def response_event(kind: str, **fields: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 18,
    }
    response = {"id": "resp_1", "object": "response", "model": "m1", "usage": usage} | fields
    return {"type": f"response.{kind}", "response": response}


MESSAGE_START = {
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


def delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def message_end(reason: str, answered: int = 7) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": answered}},
        {"type": "message_stop"},
    ]


SIGNED_CALL = {
    "functionCall": {"name": "look_up", "args": ARGUMENTS},
    "thoughtSignature": "CpcBAd==",
}


def candidate(*parts: dict[str, Any], reason: str = "") -> dict[str, Any]:
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


OLLAMA_END: dict[str, Any] = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 5_000_000,
    "prompt_eval_count": 11,
    "eval_count": 7,
}


OLLAMA_CALL = [{"function": {"name": "look_up", "arguments": ARGUMENTS}}]


def line(content: str = "", **fields: Any) -> dict[str, Any]:
    calls = fields.pop("tool_calls", None)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = calls
    if thinking := fields.pop("thinking", None):
        message["thinking"] = thinking
    created = "2026-01-01T12:00:00.000000Z"
    return {"model": "m1", "created_at": created, "message": message, "done": False} | fields


def spoken_by_ollama(*texts: str) -> list[dict[str, Any]]:
    """Return the lines of an answer in these pieces."""
    return [*map(line, texts), line(**OLLAMA_END)]
