"""Client for Anthropic's Messages API.

Sources: the vendor's reference of `POST /v1/messages`, its pages on streaming, on tool use, on
extended and adaptive thinking, on effort, on structured outputs and on stop reasons. User and
assistant alternate, and the user begins; the results of all calls come first in the next user
message; thinking is sent back unchanged, with its signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.definition import Agent
from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.errors import reported_error
from orchestration.providers.http_client import ModelListFormat, SettingNames, VendorClient
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import closed_schema, tool_choice_of
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
from orchestration.tools import ToolSpec

ANTHROPIC = "https://api.anthropic.com"

VERSION = "2023-06-01"
"""Version of the API, sent with every request."""


class AnthropicProvider(VendorClient):
    """Client of Anthropic or a server with its format; `base_url` ends before `/v1/messages`."""

    name = "anthropic"
    setting_names = SettingNames("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL")
    model_list = ModelListFormat(
        "/v1/models",
        lambda page: (model.get("id") for model in page.get("data", ())),
        lambda page: {"after_id": str(page["last_id"])} if page.get("has_more") else {},
        {"limit": "1000"},
    )

    def __init__(self, *, base_url: str = ANTHROPIC, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Return the address, the same for all models."""
        return f"{self._base}/v1/messages"

    def headers(self) -> dict[str, str]:
        """Return the API version and the key."""
        return {"anthropic-version": VERSION} | ({"x-api-key": self._key} if self._key else {})

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a Messages request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of blocks with deltas."""
        return MessagesDecoder(model, self.secrets)


DIALECT = "anthropic"

MAX_TOKENS = 4096
"""Maximum length of an answer for agents without a limit: the vendor requires one."""

_CONTINUATION = "[The conversation goes on.]"
"""First user message if the history begins with an assistant's."""

_THINKING = frozenset({"thinking", "redacted_thinking"})

_REASONS: Mapping[str, Ending] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}

_CHOICES = {"auto": "auto", "required": "any", "none": "none"}

_BUDGETS = {"low": 1_024, "medium": 4_096, "high": 16_384}
"""Thinking budgets of older models in tokens; the vendor's minimum is 1,024."""

_OLDER = re.compile(r"claude-(?:[0-3]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?![0-9]|-[6-9]))")
"""Models with a thinking budget; newer models choose the amount themselves."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of a streaming request."""
    agent = request.agent
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": agent.max_output_tokens or MAX_TOKENS,
        "messages": _messages(request.messages, model),
        "stream": True,
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        body["tool_choice"] = {"type": _CHOICES[tool_choice_of(request)]}
    if agent.temperature is not None:
        body["temperature"] = min(agent.temperature, 1.0)
    output: dict[str, Any] = {}
    if agent.response_schema is not None:
        output["format"] = {"type": "json_schema", "schema": closed_schema(agent.response_schema)}
    if agent.reasoning_effort is not None:
        _think(body, output, agent, model)
    if output:
        body["output_config"] = output
    return to_json(body).encode()


def _think(body: dict[str, Any], output: dict[str, Any], agent: Agent, model: str) -> None:
    """Set the reasoning effort in the form that the model's generation supports.

    Thinking excludes a temperature and a forced tool call.
    """
    older = _OLDER.match(model) is not None
    if not older:
        output["effort"] = "low" if agent.reasoning_effort == "minimal" else agent.reasoning_effort
    budget = _BUDGETS.get(agent.reasoning_effort or "")
    if agent.tool_choice == "required" or budget is None:
        return
    body.pop("temperature", None)
    if older:
        body["max_tokens"] += budget
        body["thinking"] = {"type": "enabled", "budget_tokens": budget}
    else:
        body["thinking"] = {"type": "adaptive"}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def _messages(messages: Sequence[PromptMessage], model: str) -> list[dict[str, Any]]:
    """Join consecutive messages of one side, with the results of tools first."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message, model)
        if not blocks:
            continue
        if not turns or turns[-1]["role"] != role:
            if not turns and role == "assistant":
                turns.append({"role": "user", "content": [_text(_CONTINUATION)]})
            turns.append({"role": role, "content": []})
        turns[-1]["content"].extend(blocks)
    for turn in turns:
        if turn["role"] == "user":
            turn["content"].sort(key=lambda block: block["type"] != "tool_result")
    return turns


def _blocks(message: PromptMessage, model: str) -> list[dict[str, Any]]:
    match message.role:
        case "tool":
            result: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": _id(message.tool_call_id or ""),
                "content": message.text,
            }
            if message.text.startswith("Error: "):
                result["is_error"] = True
            return [result]
        case "user":
            return [_text(message.text)] if message.text.strip() else []
        case _:
            kept = message.kept
            is_own = kept is not None and (kept.dialect, kept.model) == (DIALECT, model)
            thinking = list(kept.parts) if kept is not None and is_own else []
            # The vendor rejects white space at the end of an assistant's message.
            text = [_text(message.text.rstrip())] if message.text.strip() else []
            return [*thinking, *text, *map(_use, message.tool_calls)]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _use(call: ToolCall) -> dict[str, Any]:
    arguments = parse_arguments(call.arguments)
    return {"type": "tool_use", "id": _id(call.id), "name": call.name, "input": arguments}


def _id(call_id: str) -> str:
    """Return an id with only the characters that the vendor accepts."""
    return _NOT_IN_IDS.sub("_", call_id)


@dataclass(slots=True)
class _Block:
    """A block of the answer, assembled from its deltas."""

    kind: str
    start: dict[str, Any]
    """Block of the event `content_block_start`."""
    deltas: list[str] = field(default_factory=list)
    """Pieces of a call's arguments or of thinking."""
    signature: str = ""

    def call(self) -> ToolCall:
        """Return the tool call of the block."""
        arguments = clean("".join(self.deltas)) or to_json(self.start.get("input") or {})
        call_id, name = str(self.start.get("id") or ""), str(self.start.get("name") or "")
        return ToolCall(id=call_id, name=name, arguments=arguments)

    def thinking(self) -> dict[str, Any]:
        """Return the thinking block to send back."""
        if self.kind == "redacted_thinking":
            return self.start
        thinking = self.start.get("thinking", "") + "".join(self.deltas)
        return {"type": "thinking", "thinking": thinking, "signature": self.signature}


@dataclass(slots=True)
class MessagesDecoder:
    """Decoder of one stream's events into pieces. `secrets` never appear in errors."""

    model: str
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _blocks: dict[int, _Block] = field(default_factory=dict)
    _text: TextBuffer = field(default_factory=TextBuffer)
    _reason: str | None = None
    _sent: int = 0
    _answered: int = 0
    _length: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the text of one event; calls and thinking are collected until the end."""
        event = parse_object(data)
        match event.get("type"):
            case "message_start":
                message = event.get("message") or {}
                self.answer_id = str(message.get("id") or "")
                self._count(message.get("usage"))
            case "content_block_start":
                yield from self._begin(event)
            case "content_block_delta":
                yield from self._continue(event)
            case "message_delta":
                self._reason = (event.get("delta") or {}).get("stop_reason") or self._reason
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True
            case "error":
                raise reported_error(event.get("error"), self.secrets, event.get("request_id"))
            case _:
                pass  # a ping, or an event that the vendor has added since
        check_size(len(self._blocks), self._length)

    def finish(self) -> Iterator[Piece]:
        """Yield the calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None:
            raise cut_off_error()
        calls = [block.call() for block in self._blocks.values() if block.kind == "tool_use"]
        thinking = [block.thinking() for block in self._blocks.values() if block.kind in _THINKING]
        kept = (
            ProviderState(dialect=DIALECT, model=self.model, parts=tuple(thinking))
            if thinking
            else None
        )
        reason: Ending = _REASONS.get(self._reason, "stop")
        yield from final_pieces(calls, Finished(self._sent, self._answered, reason, kept))

    def _begin(self, event: dict[str, Any]) -> Iterator[Piece]:
        start = event.get("content_block") or {}
        block = self._blocks[count_or_zero(event.get("index"))] = _Block(
            str(start.get("type")), dict(start)
        )
        if block.kind == "text" and (text := self._text.take(start.get("text") or "")):
            yield TextPiece(text)

    def _continue(self, event: dict[str, Any]) -> Iterator[Piece]:
        delta = event.get("delta") or {}
        block = self._blocks.get(count_or_zero(event.get("index")))
        match delta.get("type"):
            case "text_delta":
                if text := self._text.take(delta.get("text") or ""):
                    yield TextPiece(text)
            case "input_json_delta" if block is not None:
                self._append(block, delta.get("partial_json"))
            case "thinking_delta" if block is not None:
                self._append(block, delta.get("thinking"))
            case "signature_delta" if block is not None:
                block.signature += str(delta.get("signature") or "")
            case _:
                pass

    def _append(self, block: _Block, delta: object) -> None:
        text = str(delta or "")
        block.deltas.append(text)
        self._length += len(text)

    def _count(self, usage: object) -> None:
        """Record the latest usage; the vendor counts cached tokens separately."""
        if not isinstance(usage, dict):
            return
        sent = sum(
            count_or_zero(usage.get(name))
            for name in (
                "input_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
            )
        )
        self._sent = sent or self._sent
        self._answered = count_or_zero(usage.get("output_tokens")) or self._answered
