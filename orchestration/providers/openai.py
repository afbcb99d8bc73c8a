"""Client for OpenAI's Responses API.

Sources: the vendor's reference of `POST /v1/responses` and of its streaming events, its guides on
reasoning, function calling and structured outputs. Nothing is stored at the vendor: its reasoning
arrives encrypted and is sent back unchanged, before the items that followed it. A stream without
`response.completed` was cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.errors import reported_error
from orchestration.providers.http_client import SettingNames, VendorClient
from orchestration.providers.openai_compatible import OPENAI, named_schema
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import tool_choice_of
from orchestration.providers.sse import (
    Decoder,
    TextBuffer,
    check_size,
    count_or_zero,
    cut_off_error,
    final_pieces,
    parse_arguments,
    parse_object,
    to_json,
)


class OpenAIProvider(VendorClient):
    """Client of OpenAI or a server with its format; `base_url` ends before `/responses`."""

    name = "openai"
    setting_names = SettingNames("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")

    def __init__(self, *, base_url: str = OPENAI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Return the address, the same for all models."""
        return f"{self._base}/responses"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a Responses request without storage."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of typed events."""
        return ResponsesDecoder(model, self.secrets)


DIALECT = "responses"


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of a streaming request."""
    body: dict[str, Any] = {
        "model": model,
        "instructions": request.system,
        "input": _items(request.messages, model),
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "strict": False,
            }
            for tool in request.tools
        ]
        body["tool_choice"] = tool_choice_of(request)
    agent = request.agent
    if agent.temperature is not None:
        body["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        body["max_output_tokens"] = agent.max_output_tokens
    if agent.reasoning_effort is not None:
        body["reasoning"] = {"effort": agent.reasoning_effort}
    if agent.response_schema is not None:
        response_format = {"type": "json_schema"} | named_schema(agent.response_schema)
        body["text"] = {"format": response_format}
    return to_json(body).encode()


def _items(messages: Sequence[PromptMessage], model: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for message in messages:
        match message.role:
            case "tool":
                call_id = message.tool_call_id or ""
                items.append(
                    {"type": "function_call_output", "call_id": call_id, "output": message.text}
                )
            case "user":
                items.append({"role": "user", "content": message.text})
            case _:
                kept = message.kept
                if kept is not None and (kept.dialect, kept.model) == (DIALECT, model):
                    items.extend(kept.parts)
                if message.text:
                    items.append({"role": "assistant", "content": message.text})
                items.extend(
                    {
                        "type": "function_call",
                        "call_id": call.id,
                        "name": call.name,
                        "arguments": to_json(parse_arguments(call.arguments)),
                    }
                    for call in message.tool_calls
                )
    return items


@dataclass(slots=True)
class ResponsesDecoder:
    """Decoder of one stream's events into pieces. `secrets` never appear in errors."""

    model: str
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _text: TextBuffer = field(default_factory=TextBuffer)
    _calls: list[ToolCall] = field(default_factory=list)
    _reasoning: list[dict[str, Any]] = field(default_factory=list)
    _reason: Ending = "stop"
    _usage: tuple[int, int] = (0, 0)
    _length: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the text of one event; calls and reasoning are collected until the end."""
        if data.strip() != b"[DONE]":
            yield from self._pieces(parse_object(data))

    def _pieces(self, event: dict[str, Any]) -> Iterator[Piece]:
        match event.get("type"):
            case "response.created":
                self.answer_id = str((event.get("response") or {}).get("id") or "")
            case "response.output_text.delta" | "response.refusal.delta" as kind:
                if kind == "response.refusal.delta":
                    self._reason = "refused"
                if text := self._text.take(event.get("delta") or ""):
                    yield TextPiece(text)
            case "response.output_item.done":
                self._take(event.get("item") or {})
            case "response.completed":
                self._end(event)
            case "response.incomplete":
                reason = ((event.get("response") or {}).get("incomplete_details") or {}).get(
                    "reason"
                )
                self._reason = "filtered" if reason == "content_filter" else "length"
                self._end(event)
            case "response.failed":
                error = (event.get("response") or {}).get("error")
                raise reported_error(error, self.secrets)
            case "error":
                error = event.get("error") or event
                raise reported_error(error, self.secrets)
            case _:
                pass  # progress, summaries, and events that the vendor has added since
        check_size(len(self._calls), self._length)

    def finish(self) -> Iterator[Piece]:
        """Yield the calls and the end. Raises `ProviderError` if the answer was cut off."""
        if not self.ended:
            raise cut_off_error()
        kept = None
        if self._reasoning:
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=tuple(self._reasoning))
        yield from final_pieces(self._calls, Finished(*self._usage, self._reason, kept))

    def _take(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "function_call":
                arguments = clean(str(item.get("arguments") or "")) or "{}"
                self._length += len(arguments)
                call_id = str(item.get("call_id") or item.get("id") or "")
                name = str(item.get("name") or "")
                self._calls.append(ToolCall(id=call_id, name=name, arguments=arguments))
            case "reasoning":
                # The server does not accept its own status back.
                self._reasoning.append({key: item[key] for key in item if key != "status"})
            case _:
                pass

    def _end(self, event: dict[str, Any]) -> None:
        self.ended = True
        usage = (event.get("response") or {}).get("usage")
        if isinstance(usage, dict):
            sent, answered = usage.get("input_tokens"), usage.get("output_tokens")
            self._usage = (count_or_zero(sent), count_or_zero(answered))
