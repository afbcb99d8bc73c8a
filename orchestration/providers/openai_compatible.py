"""Client for servers with the chat-completions protocol.

The reference is OpenAI's (`POST /v1/chat/completions` and its streaming; the guides on function
calling, structured outputs and reasoning). Deviations of other servers are accepted:
calls without an index, ids and names in the first piece only, `content: null`, a last chunk with
only usage, `stop` although tools were called, an `error` object inside a 200, CRLF.

DeepSeek's `reasoning_content` and OpenRouter's `reasoning_details` are sent back unchanged
with the calls that belong to them, as both require in their guides on reasoning with tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.errors import reported_error
from orchestration.providers.http_client import SettingNames, VendorClient
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import ANSWER, closed_schema, is_strict, tool_choice_of
from orchestration.providers.sse import (
    Decoder,
    TextBuffer,
    check_size,
    count_or_zero,
    cut_off_error,
    final_pieces,
    parse_object,
    to_json,
)
from orchestration.tools import ToolSpec

OPENAI = "https://api.openai.com/v1"


class OpenAICompatibleProvider(VendorClient):
    """Client of a chat-completions server; `base_url` ends before `/chat/completions`."""

    name = "openai_compatible"
    setting_names = SettingNames("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")

    def __init__(self, *, base_url: str = OPENAI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Return the address, the same for all models."""
        return f"{self._base}/chat/completions"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a chat completion."""
        # OpenAI's newer models accept only the longer name of the limit, other servers the older.
        is_openai = self._base.startswith(OPENAI)
        limit_name = "max_completion_tokens" if is_openai else "max_tokens"
        return encode_request(request, model=model, limit_name=limit_name)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of chunks with deltas."""
        return ChatDecoder(model, self.secrets)


DIALECT = "chat"


def encode_request(request: ModelRequest, *, model: str, limit_name: str = "max_tokens") -> bytes:
    """Return the body of a streaming request. Each message is encoded only once."""
    agent = request.agent
    fields = [
        f'"model":{to_json(model)}',
        f'"messages":[{",".join(_messages(request, model))}]',
        '"stream":true,"stream_options":{"include_usage":true}',
    ]
    if request.tools:
        fields.append(f'"tools":{to_json(functions(request.tools))}')
        fields.append(f'"tool_choice":"{tool_choice_of(request)}"')
    if agent.temperature is not None:
        fields.append(f'"temperature":{to_json(agent.temperature)}')
    if agent.max_output_tokens is not None:
        fields.append(f'"{limit_name}":{agent.max_output_tokens}')
    if agent.reasoning_effort is not None:
        fields.append(f'"reasoning_effort":"{agent.reasoning_effort}"')
    if agent.response_schema is not None:
        response_format = {
            "type": "json_schema",
            "json_schema": named_schema(agent.response_schema),
        }
        fields.append(f'"response_format":{to_json(response_format)}')
    return ("{" + ",".join(fields) + "}").encode()


def functions(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return the tools as functions."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]


def named_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response schema in OpenAI's form: strict if possible, else only as a hint."""
    closed = closed_schema(schema)
    strict = is_strict(closed)
    return {"name": ANSWER, "schema": closed if strict else dict(schema), "strict": strict}


def _messages(request: ModelRequest, model: str) -> Iterator[str]:
    """Yield the system prompt and the history; consecutive user messages are joined.

    Many servers require user and assistant to alternate.
    """
    yield f'{{"role":"system","content":{to_json(request.system)}}}'
    user_texts: list[str] = []
    for message in request.messages:
        wire = message.wire
        dialect = DIALECT if message.kept is None else f"{DIALECT} {model}"
        if wire is None or wire[0] != dialect:
            wire = message.wire = (dialect, _encode(message, model))
        if message.role == "user":
            user_texts.append(wire[1])
            continue
        if user_texts:
            yield _user(user_texts)
            user_texts = []
        yield wire[1]
    if user_texts:
        yield _user(user_texts)


def _user(texts: Iterable[str]) -> str:
    return '{"role":"user","content":"' + "\\n\\n".join(texts) + '"}'


def _encode(message: PromptMessage, model: str) -> str:
    """Encode a message as JSON; a user's is only its text without quotes, to be joined."""
    if message.role == "user":
        return to_json(message.text)[1:-1]
    if message.role == "tool":
        return to_json(
            {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        )
    encoded: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if (kept := message.kept) is not None and (kept.dialect, kept.model) == (DIALECT, model):
        for part in kept.parts:
            encoded |= part
    if message.tool_calls:
        encoded["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": _object_or_empty(call.arguments)},
            }
            for call in message.tool_calls
        ]
    elif not message.text:
        encoded["content"] = ""
    return to_json(encoded)


def _object_or_empty(arguments: str) -> str:
    """Return the arguments if they are a JSON object, else `{}`: servers reject other values."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except ValueError:
        return "{}"


@dataclass(slots=True)
class _PartialCall:
    """A tool call, assembled from its parts."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def call(self) -> ToolCall:
        """Return the assembled call."""
        arguments = clean("".join(self.arguments)) or "{}"
        return ToolCall(id=self.id, name=self.name, arguments=arguments)


@dataclass(slots=True)
class Reasoning:
    """Collector of the model's reasoning, for servers that expect it back."""

    _texts: list[str] = field(default_factory=list)
    _details: dict[int, dict[str, Any]] = field(default_factory=dict)
    _size: int = 0

    def take(self, delta: Mapping[str, Any]) -> None:
        """Collect the reasoning in one piece of an answer."""
        text = delta.get("reasoning_content")
        if isinstance(text, str):
            self._texts.append(text)
            self._size += len(text)
        for position, part in enumerate(delta.get("reasoning_details") or ()):
            if not isinstance(part, dict):
                continue
            index = count_or_zero(part.get("index", position))
            detail = self._details.setdefault(index, {})
            for key, value in part.items():
                is_continuation = key in _IN_PIECES and isinstance(value, str) and key in detail
                detail[key] = detail[key] + value if is_continuation else value
            self._size += len(str(part))
        check_size(0, self._size)

    def parts(self) -> tuple[dict[str, Any], ...]:
        """Return the fields to send back with the message."""
        fields: dict[str, Any] = {}
        if self._texts:
            fields["reasoning_content"] = clean("".join(self._texts))
        if self._details:
            fields["reasoning_details"] = [detail for _, detail in sorted(self._details.items())]
        return (fields,) if fields else ()


_IN_PIECES = frozenset({"text", "summary", "data"})
"""Fields of a detail that arrive in pieces."""


@dataclass(slots=True)
class ChatDecoder:
    """Decoder of one stream's events into pieces. `secrets` never appear in errors."""

    model: str = ""
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _calls: list[_PartialCall] = field(default_factory=list)
    _reasoning: Reasoning = field(default_factory=Reasoning)
    _refused: bool = False
    _reason: str | None = None
    _usage: tuple[int, int] = (0, 0)
    _text: TextBuffer = field(default_factory=TextBuffer)
    _length: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the text of one event; calls are collected until the end."""
        if data.strip() == b"[DONE]":
            self.ended = True
            return
        chunk = parse_object(data)
        if error := chunk.get("error"):
            raise reported_error(error, self.secrets)
        self.answer_id = self.answer_id or str(chunk.get("id") or "")
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = (
                count_or_zero(usage.get("prompt_tokens")),
                count_or_zero(usage.get("completion_tokens")),
            )
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or choice.get("message") or {}
            refusal = delta.get("refusal")
            self._refused = self._refused or bool(refusal)
            if text := self._text.take(delta.get("content") or refusal or ""):
                yield TextPiece(text)
            self._reasoning.take(delta)
            for part in delta.get("tool_calls") or ():
                self._take(part)
            self._reason = choice.get("finish_reason") or self._reason
        check_size(len(self._calls), self._length)

    def finish(self) -> Iterator[Piece]:
        """Yield the calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None and not self.ended:
            raise cut_off_error()
        calls = [call.call() for call in self._calls]
        reason: Ending = "refused" if self._refused else "stop"
        if self._reason == "length":
            reason = "length"
        elif self._reason == "content_filter":
            reason = "filtered"
        kept = None
        if calls and (reasoning := self._reasoning.parts()):
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=reasoning)
        yield from final_pieces(calls, Finished(*self._usage, reason, kept))

    def _take(self, part: dict[str, Any]) -> None:
        function = part.get("function") or {}
        call = self._call_of(part.get("index"), part.get("id") or "", bool(function.get("name")))
        call.id = call.id or part.get("id") or ""
        call.name = call.name or function.get("name") or ""
        arguments = function.get("arguments")
        if arguments is not None:
            text = arguments if isinstance(arguments, str) else to_json(arguments)
            call.arguments.append(text)
            self._length += len(text)

    def _call_of(self, index: int | None, call_id: str, named: bool) -> _PartialCall:
        """Return the call of a part: by index, else by id, else the last call."""
        for call in reversed(self._calls):
            same_id = not call_id or not call.id or call.id == call_id
            if index is not None and call.index == index and same_id:
                return call
            if index is None and call_id and call.id == call_id:
                return call
        if index is None and not call_id and not named and self._calls:
            return self._calls[-1]
        self._calls.append(_PartialCall(index))
        return self._calls[-1]
