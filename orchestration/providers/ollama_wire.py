"""Ollama's chat format: requests encoded, streams decoded. No network here.

Source: Ollama's API reference, "Generate a chat completion". The stream is JSON by lines; arguments
are objects, and calls have no ids: a result names its tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.messages import ToolCall
from orchestration.providers.base import (
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.chat_wire import functions
from orchestration.providers.wire import (
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


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """The body of a streaming request."""
    body: dict[str, Any] = {"model": model, "messages": _messages(request), "stream": True}
    if request.tools:
        body["tools"] = functions(request.tools)
    options: dict[str, Any] = {}
    if request.agent.temperature is not None:
        options["temperature"] = request.agent.temperature
    if request.agent.max_output_tokens is not None:
        options["num_predict"] = request.agent.max_output_tokens
    if options:
        body["options"] = options
    return to_json(body).encode()


def _messages(request: ModelRequest) -> list[dict[str, Any]]:
    names: dict[str, str] = {}
    said: list[dict[str, Any]] = [{"role": "system", "content": request.system}]
    for message in request.messages:
        names.update((call.id, call.name) for call in message.tool_calls)
        said.append(_message(message, names))
    return said


def _message(message: PromptMessage, names: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        found["tool_name"] = names.get(call_id, call_id)
    if message.tool_calls:
        found["tool_calls"] = _calls(message.tool_calls)
    return found


def _calls(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    return [
        {"function": {"name": call.name, "arguments": arguments_of(call.arguments)}}
        for call in calls
    ]


@dataclass(slots=True)
class OllamaDecoder:
    """Turns the lines of one stream into pieces. `secret` is quoted in no error."""

    secret: str = ""
    ended: bool = False
    _text: Text = field(default_factory=Text)
    _calls: list[ToolCall] = field(default_factory=list)
    _reason: str = "stop"
    _usage: tuple[int, int] = (0, 0)
    _written: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one line; calls are kept until the end."""
        line = read_object(data)
        if error := line.get("error"):
            raise reported(error, self.secret)
        message = line.get("message") or {}
        if text := self._text.take(message.get("content") or ""):
            yield TextPiece(text)
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            given = function.get("arguments")
            arguments = given if isinstance(given, str) else to_json(given or {})
            self._written += len(arguments)
            name = str(function.get("name") or "")
            self._calls.append(
                ToolCall(id=str(call.get("id") or ""), name=name, arguments=arguments)
            )
        bound(len(self._calls), self._written)
        if line.get("done"):
            self.ended = True
            self._reason = str(line.get("done_reason") or "stop")
            counts = line.get("prompt_eval_count"), line.get("eval_count")
            self._usage = (count_of(counts[0]), count_of(counts[1]))

    def finish(self) -> Iterator[Piece]:
        """The calls and the end. Raises `ProviderError` if the answer was cut off."""
        if not self.ended:
            raise broke_off()
        end = Finished(*self._usage, "length" if self._reason == "length" else "stop")
        yield from closing(self._calls, end)
