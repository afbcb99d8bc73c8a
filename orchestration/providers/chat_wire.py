"""The chat-completions format: requests encoded, streams decoded. No network here.

The reference is OpenAI's; what other servers make of it is taken as it comes: calls without an
index, ids and names in the first piece only, `content: null`, a last chunk with nothing but usage,
`stop` although tools were called, an `error` object inside a 200, comments and CRLF.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall, clean
from orchestration.providers.base import (
    MAX_CALLS,
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.tools.spec import ToolSpec

DIALECT = "chat"

MAX_EVENT = 1 << 20
"""Bytes of one event of a stream."""

MAX_ARGUMENTS = 1 << 20
"""Characters of all tool calls of one answer."""


def encode_request(request: ModelRequest, *, model: str, limit_name: str = "max_tokens") -> bytes:
    """The body of a streaming request. Each message is encoded once in its life."""
    fields = [
        f'"model":{_json(model)}',
        f'"messages":[{",".join(_messages(request))}]',
        '"stream":true,"stream_options":{"include_usage":true}',
    ]
    if request.tools:
        fields.append(f'"tools":{encode_tools(request.tools)}')
        fields.append('"tool_choice":"auto"')
    if request.agent.temperature is not None:
        fields.append(f'"temperature":{_json(request.agent.temperature)}')
    if request.agent.max_output_tokens is not None:
        fields.append(f'"{limit_name}":{request.agent.max_output_tokens}')
    return ("{" + ",".join(fields) + "}").encode()


def encode_tools(tools: Sequence[ToolSpec]) -> str:
    """The tools as functions."""
    return _json(
        [
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
    )


def _messages(request: ModelRequest) -> Iterator[str]:
    """The system prompt and the history; what users say in a row is one message.

    Many servers insist that user and assistant take turns.
    """
    yield f'{{"role":"system","content":{_json(request.system)}}}'
    said: list[str] = []
    for message in request.messages:
        wire = message.wire
        if wire is None or wire[0] != DIALECT:
            wire = message.wire = (DIALECT, _encode(message))
        if message.role == "user":
            said.append(wire[1])
            continue
        if said:
            yield _user(said)
            said = []
        yield wire[1]
    if said:
        yield _user(said)


def _user(said: Iterable[str]) -> str:
    return '{"role":"user","content":"' + "\\n\\n".join(said) + '"}'


def _encode(message: PromptMessage) -> str:
    """A message as JSON; of a user's only the text without its quotes, which can be joined."""
    if message.role == "user":
        return _json(message.text)[1:-1]
    if message.role == "tool":
        return _json(
            {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        )
    spoken: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.tool_calls:
        spoken["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": _whole(call.arguments)},
            }
            for call in message.tool_calls
        ]
    elif not message.text:
        spoken["content"] = ""
    return _json(spoken)


def _whole(arguments: str) -> str:
    """Arguments as they were, if they are an object: servers parse them, and fail on less."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except ValueError:
        return "{}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class EventReader:
    """Takes a stream's bytes as they come, cut anywhere, and gives the data of its events."""

    _rest: bytes = b""
    _data: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that are complete now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))
        if len(self._rest) + self._size > MAX_EVENT:
            raise ProviderError("The model sent an event without an end.")

    def close(self) -> Iterator[bytes]:
        """What is left: some servers leave out the last blank line."""
        yield from self._line(self._rest.rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._size += len(line)
        elif not line and self._data:
            data, self._data, self._size = b"\n".join(self._data), [], 0
            yield data


@dataclass(slots=True)
class _Slot:
    """A tool call as it comes together."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ChatDecoder:
    """Turns the events of one stream into pieces. `secret` is quoted in no error."""

    secret: str = ""
    ended: bool = False
    _slots: list[_Slot] = field(default_factory=list)
    _reason: str | None = None
    _usage: tuple[int, int] = (0, 0)
    _half: str = ""
    _written: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one event; its calls are kept until the end."""
        if data.strip() == b"[DONE]":
            self.ended = True
            return
        chunk = _object(data)
        if error := chunk.get("error"):
            raise ProviderError(f"The model reported an error: {said_in(error, self.secret)}")
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = (
                _count(usage.get("prompt_tokens")),
                _count(usage.get("completion_tokens")),
            )
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or choice.get("message") or {}
            if text := self._text(delta.get("content") or delta.get("refusal") or ""):
                yield TextPiece(text)
            for part in delta.get("tool_calls") or ():
                self._take(part)
            self._reason = choice.get("finish_reason") or self._reason
        if self._written > MAX_ARGUMENTS or len(self._slots) > MAX_CALLS:
            raise ProviderError("The model calls tools without an end.")

    def finish(self) -> Iterator[Piece]:
        """The calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None and not self.ended:
            raise ProviderError("The model's answer broke off before its end.")
        if self._reason == "length" and self._slots:
            raise ProviderError(
                "The model's answer was cut off in the middle of a tool call: "
                "raise the agent's max_output_tokens."
            )
        for slot in self._slots:
            if not slot.name:
                raise ProviderError("The model called a tool without saying which.")
            arguments = clean("".join(slot.arguments)) or "{}"
            yield CallPiece(ToolCall(id=slot.id, name=slot.name, arguments=arguments))
        reason: Literal["stop", "length", "filtered"] = "stop"
        if self._reason == "length":
            reason = "length"
        elif self._reason == "content_filter":
            reason = "filtered"
        yield Finished(*self._usage, reason)

    def _text(self, text: object) -> str:
        """The text, clean. A pair of surrogates may come as two halves: the first one waits."""
        said = self._half + str(text)
        self._half = said[-1] if said and "\ud800" <= said[-1] <= "\udbff" else ""
        return clean(said[:-1] if self._half else said)

    def _take(self, part: dict[str, Any]) -> None:
        function = part.get("function") or {}
        slot = self._slot(part.get("index"), part.get("id") or "", bool(function.get("name")))
        slot.id = slot.id or part.get("id") or ""
        slot.name = slot.name or function.get("name") or ""
        arguments = function.get("arguments")
        if arguments is not None:
            written = arguments if isinstance(arguments, str) else _json(arguments)
            slot.arguments.append(written)
            self._written += len(written)

    def _slot(self, index: int | None, call_id: str, named: bool) -> _Slot:
        """Which call a part belongs to: by index, else by id, else the last one."""
        for slot in reversed(self._slots):
            same_id = not call_id or not slot.id or slot.id == call_id
            if index is not None and slot.index == index and same_id:
                return slot
            if index is None and call_id and slot.id == call_id:
                return slot
        if index is None and not call_id and not named and self._slots:
            return self._slots[-1]
        self._slots.append(_Slot(index))
        return self._slots[-1]


def said_in(error: object, secret: str) -> str:
    """The vendor's own words in an error object, bounded and without the key."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("error") or error
    said = " ".join(str(error).split())
    # Before the cut: half of a key is still a part of it.
    return (said.replace(secret, "[key]") if secret else said)[:300]


def _object(data: bytes) -> dict[str, Any]:
    try:
        chunk = json.loads(data)
    except ValueError:
        raise ProviderError("The model sent an event that is not JSON.") from None
    if not isinstance(chunk, dict):
        raise ProviderError("The model sent an event that is not an object.")
    return chunk


def _count(number: object) -> int:
    return number if isinstance(number, int) else 0
