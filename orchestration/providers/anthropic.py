"""A client of Anthropic's Messages API.

Sources: the vendor's reference of `POST /v1/messages`, its pages on streaming, on tool use, on
extended and adaptive thinking, on effort, on structured outputs and on stop reasons. User and
assistant take turns, the first is the user's; the results of all calls stand first in the next user
message; thinking goes back unchanged, with its signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.definition import Agent
from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.http_client import Catalogue, Variables, VendorClient
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import choice_of, closed
from orchestration.providers.sse import (
    Decoder,
    Text,
    arguments_of,
    bound,
    broke_off,
    closing,
    count_of,
    read_object,
    reported,
    to_json,
)
from orchestration.tools import ToolSpec

ANTHROPIC = "https://api.anthropic.com"

VERSION = "2023-06-01"
"""Version of the API, sent with every request."""


class AnthropicProvider(VendorClient):
    """Asks Anthropic, or a server that speaks its format; `base_url` ends before `/v1/messages`."""

    name = "anthropic"
    variables = Variables("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL")
    catalogue = Catalogue(
        "/v1/models",
        lambda page: (one.get("id") for one in page.get("data", ())),
        lambda page: {"after_id": str(page["last_id"])} if page.get("has_more") else {},
        {"limit": "1000"},
    )

    def __init__(self, *, base_url: str = ANTHROPIC, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/v1/messages"

    def headers(self) -> dict[str, str]:
        """The version, and the key in a header of its own."""
        return {"anthropic-version": VERSION} | ({"x-api-key": self._key} if self._key else {})

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """A Messages request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Blocks with deltas."""
        return MessagesDecoder(model, self.secrets)


DIALECT = "anthropic"

MAX_TOKENS = 4096
"""Maximum length of an answer for agents without a limit: the vendor requires one."""

_GOES_ON = "[The conversation goes on.]"
"""The user's first words, where the history begins with somebody else's."""

_THOUGHT = frozenset({"thinking", "redacted_thinking"})

_REASONS: Mapping[str, Ending] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}

_CHOICES = {"auto": "auto", "required": "any", "none": "none"}

_BUDGETS = {"low": 1_024, "medium": 4_096, "high": 16_384}
"""Tokens that older models may think, at least as many as the vendor allows."""

_OLDER = re.compile(r"claude-(?:[0-3]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?![0-9]|-[6-9]))")
"""Models that think by a budget; the ones after them think as it seems fit to them."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """The body of a streaming request."""
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
        body["tool_choice"] = {"type": _CHOICES[choice_of(request)]}
    if agent.temperature is not None:
        body["temperature"] = min(agent.temperature, 1.0)
    output: dict[str, Any] = {}
    if agent.response_schema is not None:
        output["format"] = {"type": "json_schema", "schema": closed(agent.response_schema)}
    if agent.reasoning_effort is not None:
        _think(body, output, agent, model)
    if output:
        body["output_config"] = output
    return to_json(body).encode()


def _think(body: dict[str, Any], output: dict[str, Any], agent: Agent, model: str) -> None:
    """Set the reasoning effort in the form that the model's generation supports.

    Thinking goes with no temperature, and with no call that has to be: who must call does not
    think first.
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
    """Turn about: what one side says in a row is one message, its tools' results first."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message, model)
        if not blocks:
            continue
        if not turns or turns[-1]["role"] != role:
            if not turns and role == "assistant":
                turns.append({"role": "user", "content": [_text(_GOES_ON)]})
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
            mine = kept is not None and (kept.dialect, kept.model) == (DIALECT, model)
            thought = list(kept.parts) if kept is not None and mine else []
            # The vendor refuses white space at the end of what an assistant said.
            said = [_text(message.text.rstrip())] if message.text.strip() else []
            return [*thought, *said, *map(_use, message.tool_calls)]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _use(call: ToolCall) -> dict[str, Any]:
    given = arguments_of(call.arguments)
    return {"type": "tool_use", "id": _id(call.id), "name": call.name, "input": given}


def _id(call_id: str) -> str:
    """An id of the form that the vendor takes, whoever gave it."""
    return _NOT_IN_IDS.sub("_", call_id)


@dataclass(slots=True)
class _Block:
    """One block of the answer as it comes together."""

    kind: str
    given: dict[str, Any]
    """As it was announced."""
    written: list[str] = field(default_factory=list)
    """A call's arguments, or a thought, in pieces."""
    signature: str = ""

    def call(self) -> ToolCall:
        """The call that the block is."""
        given = self.given.get("input") or {}
        arguments = clean("".join(self.written)) or to_json(given)
        call_id, name = str(self.given.get("id") or ""), str(self.given.get("name") or "")
        return ToolCall(id=call_id, name=name, arguments=arguments)

    def thought(self) -> dict[str, Any]:
        """The block as it goes back."""
        if self.kind == "redacted_thinking":
            return self.given
        thinking = self.given.get("thinking", "") + "".join(self.written)
        return {"type": "thinking", "thinking": thinking, "signature": self.signature}


@dataclass(slots=True)
class MessagesDecoder:
    """Turns the events of one stream into pieces. `secrets` are quoted in no error."""

    model: str
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _blocks: dict[int, _Block] = field(default_factory=dict)
    _text: Text = field(default_factory=Text)
    _reason: str | None = None
    _sent: int = 0
    _answered: int = 0
    _written: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one event; calls and thoughts are kept until the end."""
        event = read_object(data)
        match event.get("type"):
            case "message_start":
                message = event.get("message") or {}
                self.answer_id = str(message.get("id") or "")
                self._count(message.get("usage"))
            case "content_block_start":
                yield from self._begin(event)
            case "content_block_delta":
                yield from self._go_on(event)
            case "message_delta":
                self._reason = (event.get("delta") or {}).get("stop_reason") or self._reason
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True
            case "error":
                raise reported(event.get("error"), self.secrets, event.get("request_id"))
            case _:
                pass  # a ping, or what the vendor has added since
        bound(len(self._blocks), self._written)

    def finish(self) -> Iterator[Piece]:
        """The calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None:
            raise broke_off()
        calls = [one.call() for one in self._blocks.values() if one.kind == "tool_use"]
        thoughts = [one.thought() for one in self._blocks.values() if one.kind in _THOUGHT]
        kept = (
            ProviderState(dialect=DIALECT, model=self.model, parts=tuple(thoughts))
            if thoughts
            else None
        )
        reason: Ending = _REASONS.get(self._reason, "stop")
        yield from closing(calls, Finished(self._sent, self._answered, reason, kept))

    def _begin(self, event: dict[str, Any]) -> Iterator[Piece]:
        given = event.get("content_block") or {}
        block = self._blocks[count_of(event.get("index"))] = _Block(
            str(given.get("type")), dict(given)
        )
        if block.kind == "text" and (text := self._text.take(given.get("text") or "")):
            yield TextPiece(text)

    def _go_on(self, event: dict[str, Any]) -> Iterator[Piece]:
        delta = event.get("delta") or {}
        block = self._blocks.get(count_of(event.get("index")))
        match delta.get("type"):
            case "text_delta":
                if text := self._text.take(delta.get("text") or ""):
                    yield TextPiece(text)
            case "input_json_delta" if block is not None:
                self._keep(block, delta.get("partial_json"))
            case "thinking_delta" if block is not None:
                self._keep(block, delta.get("thinking"))
            case "signature_delta" if block is not None:
                block.signature += str(delta.get("signature") or "")
            case _:
                pass

    def _keep(self, block: _Block, written: object) -> None:
        text = str(written or "")
        block.written.append(text)
        self._written += len(text)

    def _count(self, usage: object) -> None:
        """The vendor counts what came from its cache apart; the last count stands."""
        if not isinstance(usage, dict):
            return
        sent = sum(
            count_of(usage.get(name))
            for name in (
                "input_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
            )
        )
        self._sent = sent or self._sent
        self._answered = count_of(usage.get("output_tokens")) or self._answered
