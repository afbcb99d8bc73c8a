"""A client of any server that speaks the chat-completions protocol.

The reference is OpenAI's (`POST /v1/chat/completions` and its streaming; the guides on function
calling, structured outputs and reasoning). What other servers make of it is taken as it comes:
calls without an index, ids and names in the first piece only, `content: null`, a last chunk with
nothing but usage, `stop` although tools were called, an `error` object inside a 200, CRLF.

DeepSeek's `reasoning_content` and OpenRouter's `reasoning_details` go back unchanged with the calls
that came of them, as both ask for in their guides on reasoning with tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.http_client import Variables, VendorClient
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import ANSWER, choice_of, closed, is_strict
from orchestration.providers.sse import (
    Decoder,
    Text,
    bound,
    broke_off,
    closing,
    count_of,
    read_object,
    reported,
    to_json,
)
from orchestration.tools import ToolSpec

OPENAI = "https://api.openai.com/v1"


class OpenAICompatibleProvider(VendorClient):
    """Asks a chat-completions server; `base_url` ends before `/chat/completions`."""

    name = "openai_compatible"
    variables = Variables("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")

    def __init__(self, *, base_url: str = OPENAI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/chat/completions"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """OpenAI's own newer models know only the longer name of the limit, others the older."""
        own = self._base.startswith(OPENAI)
        limit_name = "max_completion_tokens" if own else "max_tokens"
        return encode_request(request, model=model, limit_name=limit_name)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Chunks with deltas."""
        return ChatDecoder(model, self.secrets)


DIALECT = "chat"


def encode_request(request: ModelRequest, *, model: str, limit_name: str = "max_tokens") -> bytes:
    """The body of a streaming request. Each message is encoded once in its life."""
    agent = request.agent
    fields = [
        f'"model":{to_json(model)}',
        f'"messages":[{",".join(_messages(request, model))}]',
        '"stream":true,"stream_options":{"include_usage":true}',
    ]
    if request.tools:
        fields.append(f'"tools":{to_json(functions(request.tools))}')
        fields.append(f'"tool_choice":"{choice_of(request)}"')
    if agent.temperature is not None:
        fields.append(f'"temperature":{to_json(agent.temperature)}')
    if agent.max_output_tokens is not None:
        fields.append(f'"{limit_name}":{agent.max_output_tokens}')
    if agent.reasoning_effort is not None:
        fields.append(f'"reasoning_effort":"{agent.reasoning_effort}"')
    if agent.response_schema is not None:
        wanted = {"type": "json_schema", "json_schema": named_schema(agent.response_schema)}
        fields.append(f'"response_format":{to_json(wanted)}')
    return ("{" + ",".join(fields) + "}").encode()


def functions(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools as functions."""
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
    """The schema of the answers as OpenAI wants it: strict where it can be, else as a guide."""
    made = closed(schema)
    strict = is_strict(made)
    return {"name": ANSWER, "schema": made if strict else dict(schema), "strict": strict}


def _messages(request: ModelRequest, model: str) -> Iterator[str]:
    """The system prompt and the history; what users say in a row is one message.

    Many servers insist that user and assistant take turns.
    """
    yield f'{{"role":"system","content":{to_json(request.system)}}}'
    said: list[str] = []
    for message in request.messages:
        wire = message.wire
        dialect = DIALECT if message.kept is None else f"{DIALECT} {model}"
        if wire is None or wire[0] != dialect:
            wire = message.wire = (dialect, _encode(message, model))
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


def _encode(message: PromptMessage, model: str) -> str:
    """A message as JSON; of a user's only the text without its quotes, which can be joined."""
    if message.role == "user":
        return to_json(message.text)[1:-1]
    if message.role == "tool":
        return to_json(
            {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        )
    spoken: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if (kept := message.kept) is not None and (kept.dialect, kept.model) == (DIALECT, model):
        for part in kept.parts:
            spoken |= part
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
    return to_json(spoken)


def _whole(arguments: str) -> str:
    """Arguments as they were, if they are an object: servers parse them, and fail on less."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except ValueError:
        return "{}"


@dataclass(slots=True)
class _Slot:
    """A tool call as it comes together."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def call(self) -> ToolCall:
        """The call that has come together."""
        arguments = clean("".join(self.arguments)) or "{}"
        return ToolCall(id=self.id, name=self.name, arguments=arguments)


@dataclass(slots=True)
class Thought:
    """The model's reasoning as it comes, for the servers that want it back."""

    _said: list[str] = field(default_factory=list)
    _details: dict[int, dict[str, Any]] = field(default_factory=dict)
    _size: int = 0

    def take(self, delta: Mapping[str, Any]) -> None:
        """Keep what one piece of an answer has of it."""
        said = delta.get("reasoning_content")
        if isinstance(said, str):
            self._said.append(said)
            self._size += len(said)
        for place, given in enumerate(delta.get("reasoning_details") or ()):
            if not isinstance(given, dict):
                continue
            index = count_of(given.get("index", place))
            detail = self._details.setdefault(index, {})
            for key, value in given.items():
                goes_on = key in _IN_PIECES and isinstance(value, str) and key in detail
                detail[key] = detail[key] + value if goes_on else value
            self._size += len(str(given))
        bound(0, self._size)

    def parts(self) -> tuple[dict[str, Any], ...]:
        """Fields of the message to send back."""
        fields: dict[str, Any] = {}
        if self._said:
            fields["reasoning_content"] = clean("".join(self._said))
        if self._details:
            fields["reasoning_details"] = [one for _, one in sorted(self._details.items())]
        return (fields,) if fields else ()


_IN_PIECES = frozenset({"text", "summary", "data"})
"""Fields of a detail that arrive in pieces."""


@dataclass(slots=True)
class ChatDecoder:
    """Turns the events of one stream into pieces. `secrets` are quoted in no error."""

    model: str = ""
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _slots: list[_Slot] = field(default_factory=list)
    _thought: Thought = field(default_factory=Thought)
    _refused: bool = False
    _reason: str | None = None
    _usage: tuple[int, int] = (0, 0)
    _text: Text = field(default_factory=Text)
    _written: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one event; its calls are kept until the end."""
        if data.strip() == b"[DONE]":
            self.ended = True
            return
        chunk = read_object(data)
        if error := chunk.get("error"):
            raise reported(error, self.secrets)
        self.answer_id = self.answer_id or str(chunk.get("id") or "")
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = (
                count_of(usage.get("prompt_tokens")),
                count_of(usage.get("completion_tokens")),
            )
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or choice.get("message") or {}
            refusal = delta.get("refusal")
            self._refused = self._refused or bool(refusal)
            if text := self._text.take(delta.get("content") or refusal or ""):
                yield TextPiece(text)
            self._thought.take(delta)
            for part in delta.get("tool_calls") or ():
                self._take(part)
            self._reason = choice.get("finish_reason") or self._reason
        bound(len(self._slots), self._written)

    def finish(self) -> Iterator[Piece]:
        """The calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None and not self.ended:
            raise broke_off()
        calls = [slot.call() for slot in self._slots]
        reason: Ending = "refused" if self._refused else "stop"
        if self._reason == "length":
            reason = "length"
        elif self._reason == "content_filter":
            reason = "filtered"
        kept = None
        if calls and (thought := self._thought.parts()):
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=thought)
        yield from closing(calls, Finished(*self._usage, reason, kept))

    def _take(self, part: dict[str, Any]) -> None:
        function = part.get("function") or {}
        slot = self._slot(part.get("index"), part.get("id") or "", bool(function.get("name")))
        slot.id = slot.id or part.get("id") or ""
        slot.name = slot.name or function.get("name") or ""
        arguments = function.get("arguments")
        if arguments is not None:
            written = arguments if isinstance(arguments, str) else to_json(arguments)
            slot.arguments.append(written)
            self._written += len(written)

    def _slot(self, index: int | None, call_id: str, named: bool) -> _Slot:
        """Return the call of a part: by index, else by id, else the last call."""
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
