"""Gemini's generateContent format: requests encoded, streams decoded. No network here.

Sources: the vendor's reference of `models.streamGenerateContent`, its guides on function calling
and on thought signatures. Calls have names and often no ids, so a result names its function; a
part's `thoughtSignature` goes back unchanged, on the very part that it came with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestration.exceptions import ProviderError
from orchestration.messages import Kept, ToolCall
from orchestration.providers.base import (
    Finished,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
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

DIALECT = "gemini"

_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
)


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """The body of a streaming request; the model is named in its address."""
    body: dict[str, Any] = {"contents": _contents(request.messages, model)}
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        declared = [
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": dict(tool.parameters),
            }
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": declared}]
    config: dict[str, Any] = {}
    if request.agent.temperature is not None:
        config["temperature"] = request.agent.temperature
    if request.agent.max_output_tokens is not None:
        config["maxOutputTokens"] = request.agent.max_output_tokens
    if config:
        body["generationConfig"] = config
    return to_json(body).encode()


def _contents(messages: Sequence[PromptMessage], model: str) -> list[dict[str, Any]]:
    """Turn about: what one side says in a row is one content."""
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for message in messages:
        role = "model" if message.role == "assistant" else "user"
        names.update((call.id, call.name) for call in message.tool_calls)
        parts = _parts(message, model, names)
        if not parts:
            continue
        if not contents or contents[-1]["role"] != role:
            contents.append({"role": role, "parts": []})
        contents[-1]["parts"].extend(parts)
    for content in contents:
        if content["role"] == "user":
            content["parts"].sort(key=lambda part: "functionResponse" not in part)
    return contents


def _parts(message: PromptMessage, model: str, names: dict[str, str]) -> list[dict[str, Any]]:
    match message.role:
        case "tool":
            call_id = message.tool_call_id or ""
            failed = message.text.startswith("Error: ")
            said = {"error" if failed else "result": message.text}
            return [{"functionResponse": {"name": names.get(call_id, call_id), "response": said}}]
        case "user":
            return [{"text": message.text}] if message.text else []
        case _:
            kept = message.kept
            if kept is not None and (kept.dialect, kept.model) == (DIALECT, model):
                return list(kept.parts)
            calls = [
                {"functionCall": {"name": call.name, "args": arguments_of(call.arguments)}}
                for call in message.tool_calls
            ]
            return [*([{"text": message.text}] if message.text else []), *calls]


@dataclass(slots=True)
class GeminiDecoder:
    """Turns the chunks of one stream into pieces. `secret` is quoted in no error."""

    model: str
    secret: str = ""
    ended: bool = False
    _text: Text = field(default_factory=Text)
    _parts: list[dict[str, Any]] = field(default_factory=list)
    """What the model said, as it goes back; text that came in pieces is one."""
    _calls: list[ToolCall] = field(default_factory=list)
    _reason: str | None = None
    _usage: tuple[int, int] = (0, 0)
    _written: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one chunk; calls are kept until the end."""
        chunk = read_object(data)
        if error := chunk.get("error"):
            raise reported(error, self.secret)
        usage = chunk.get("usageMetadata")
        if isinstance(usage, dict):
            thought = count_of(usage.get("thoughtsTokenCount"))
            answered = count_of(usage.get("candidatesTokenCount")) + thought
            self._usage = (count_of(usage.get("promptTokenCount")), answered)
        if blocked := (chunk.get("promptFeedback") or {}).get("blockReason"):
            raise ProviderError(f"The model's content filter held the question back ({blocked}).")
        for candidate in (chunk.get("candidates") or [])[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                yield from self._take(part)
            self._reason = candidate.get("finishReason") or self._reason
        bound(len(self._calls), self._written)

    def finish(self) -> Iterator[Piece]:
        """The calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None:
            raise broke_off()
        if self._reason == "MALFORMED_FUNCTION_CALL":
            raise ProviderError("The model called a tool in a way that cannot be read.")
        reason: Literal["stop", "length", "filtered"] = "stop"
        if self._reason == "MAX_TOKENS":
            reason = "length"
        elif self._reason in _FILTERED:
            reason = "filtered"
        kept = None
        if any("thoughtSignature" in part for part in self._parts):
            kept = Kept(dialect=DIALECT, model=self.model, parts=tuple(self._parts))
        yield from closing(self._calls, Finished(*self._usage, reason, kept))

    def _take(self, part: dict[str, Any]) -> Iterator[Piece]:
        if call := part.get("functionCall"):
            arguments = to_json(call.get("args") or {})
            self._written += len(arguments)
            call_id, name = str(call.get("id") or ""), str(call.get("name") or "")
            self._calls.append(ToolCall(id=call_id, name=name, arguments=arguments))
            self._parts.append(dict(part))
            return
        if part.get("thought"):
            return  # a summary for people; what the model needs again is the signature
        text = part.get("text")
        if text is None:
            return
        last = self._parts[-1] if self._parts else {}
        if set(last) == {"text"} and set(part) == {"text"}:
            last["text"] += str(text)
        else:
            self._parts.append(dict(part))
        if said := self._text.take(text):
            yield TextPiece(said)
