"""Client for Google's Gemini API.

Sources: the vendor's reference of `models.streamGenerateContent`, its guides on function calling,
structured outputs, thinking and thought signatures. Calls often have no ids, so a result
contains the name of its function, and the id if the call had one; a `thoughtSignature` is sent back
unchanged on the part with which it arrived.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from orchestration.exceptions import ProviderError
from orchestration.messages import Ending, ProviderState, ToolCall
from orchestration.network import Secrets
from orchestration.providers.errors import reported_error
from orchestration.providers.http_client import ModelListFormat, SettingNames, VendorClient
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import schema_prompt, tool_choice_of
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

GEMINI = "https://generativelanguage.googleapis.com/v1beta"


class GeminiProvider(VendorClient):
    """Client of Gemini; `base_url` ends before `/models/`."""

    name = "gemini"
    setting_names = SettingNames("GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL")
    model_list = ModelListFormat(
        "/models",
        lambda page: _chat_models(page.get("models", ())),
        lambda page: {"pageToken": token} if (token := page.get("nextPageToken")) else {},
        {"pageSize": "1000"},
    )

    def __init__(self, *, base_url: str = GEMINI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Return the address of a model's stream of server-sent events."""
        name = quote(model.removeprefix("models/"), safe="")
        return f"{self._base}/models/{name}:streamGenerateContent?alt=sse"

    def headers(self) -> dict[str, str]:
        """Return the key: it must not appear in the address."""
        return {"x-goog-api-key": self._key} if self._key else {}

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a generateContent request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of chunks with parts."""
        return GeminiDecoder(model, self.secrets)


DIALECT = "gemini"

_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
)

_UNREADABLE = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})

_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}

_BUDGETS = {"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576}
"""Thinking budgets in tokens for models before generation 3, as the vendor defines them."""

_OLDER = re.compile(r"(?:models/)?gemini-(?:1|2)\b")


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of a streaming request; the address contains the model."""
    agent, older = request.agent, _OLDER.match(model) is not None
    choice, schema = tool_choice_of(request), agent.response_schema
    body: dict[str, Any] = {"contents": _contents(request.messages, model)}
    system = [{"text": request.system}] if request.system else []
    config: dict[str, Any] = {}
    if schema is not None and request.tools and older:
        system.append(
            {"text": schema_prompt(schema)}
        )  # before generation 3 the setting excludes tools
    elif schema is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": schema}
    if system:
        body["systemInstruction"] = {"parts": system}
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
        body["toolConfig"] = {"functionCallingConfig": {"mode": _MODES[choice]}}
    if agent.temperature is not None:
        config["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        config["maxOutputTokens"] = agent.max_output_tokens
    if (effort := agent.reasoning_effort) is not None:
        budget = {"thinkingBudget": _BUDGETS[effort]}
        config["thinkingConfig"] = budget if older else {"thinkingLevel": effort}
    if config:
        body["generationConfig"] = config
    return to_json(body).encode()


def _contents(messages: Sequence[PromptMessage], model: str) -> list[dict[str, Any]]:
    """Join consecutive messages of one side; the results of tools come first."""
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    vendor_ids: set[str] = set()
    for message in messages:
        role = "model" if message.role == "assistant" else "user"
        names.update((call.id, call.name) for call in message.tool_calls)
        parts = _parts(message, model, names, vendor_ids)
        vendor_ids.update(
            part["functionCall"].get("id", "") for part in parts if "functionCall" in part
        )
        if not parts:
            continue
        if not contents or contents[-1]["role"] != role:
            contents.append({"role": role, "parts": []})
        contents[-1]["parts"].extend(parts)
    for content in contents:
        if content["role"] == "user":
            content["parts"].sort(key=lambda part: "functionResponse" not in part)
    return contents


def _parts(
    message: PromptMessage, model: str, names: Mapping[str, str], vendor_ids: Container[str]
) -> list[dict[str, Any]]:
    """Return the parts of a message; `vendor_ids` are the vendor's ids of earlier calls."""
    match message.role:
        case "tool":
            call_id = message.tool_call_id or ""
            failed = message.text.startswith("Error: ")
            response = {"error" if failed else "result": message.text}
            answer: dict[str, Any] = {"name": names.get(call_id, call_id), "response": response}
            if call_id in vendor_ids:
                answer["id"] = call_id
            return [{"functionResponse": answer}]
        case "user":
            return [{"text": message.text}] if message.text else []
        case _:
            kept = message.kept
            if kept is not None and (kept.dialect, kept.model) == (DIALECT, model):
                return list(kept.parts)
            calls = [
                {"functionCall": {"name": call.name, "args": parse_arguments(call.arguments)}}
                for call in message.tool_calls
            ]
            return [*([{"text": message.text}] if message.text else []), *calls]


@dataclass(slots=True)
class GeminiDecoder:
    """Decoder of one stream's chunks into pieces. `secrets` never appear in errors."""

    model: str
    secrets: Secrets = ()
    ended: bool = False
    answer_id: str = ""
    _text: TextBuffer = field(default_factory=TextBuffer)
    _parts: list[dict[str, Any]] = field(default_factory=list)
    """Parts to send back; pieces of text are joined to one part."""
    _calls: list[ToolCall] = field(default_factory=list)
    _reason: str | None = None
    _usage: tuple[int, int] = (0, 0)
    _length: int = 0

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the text of one chunk; calls are collected until the end."""
        chunk = parse_object(data)
        if error := chunk.get("error"):
            raise reported_error(error, self.secrets)
        self.answer_id = self.answer_id or str(chunk.get("responseId") or "")
        usage = chunk.get("usageMetadata")
        if isinstance(usage, dict):
            thinking = count_or_zero(usage.get("thoughtsTokenCount"))
            answered = count_or_zero(usage.get("candidatesTokenCount")) + thinking
            self._usage = (count_or_zero(usage.get("promptTokenCount")), answered)
        if blocked := (chunk.get("promptFeedback") or {}).get("blockReason"):
            raise ProviderError(f"The model's content filter blocked the question ({blocked}).")
        for candidate in (chunk.get("candidates") or [])[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                yield from self._take(part)
            self._reason = candidate.get("finishReason") or self._reason
        check_size(len(self._calls), self._length)

    def finish(self) -> Iterator[Piece]:
        """Yield the calls and the end. Raises `ProviderError` if the answer was cut off."""
        if self._reason is None:
            raise cut_off_error()
        if self._reason in _UNREADABLE:
            raise ProviderError("The model sent a tool call that cannot be parsed.")
        reason: Ending = "stop"
        if self._reason == "MAX_TOKENS":
            reason = "length"
        elif self._reason in _FILTERED:
            reason = "filtered"
        kept = None
        if any("thoughtSignature" in part for part in self._parts):
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=tuple(self._parts))
        yield from final_pieces(self._calls, Finished(*self._usage, reason, kept))

    def _take(self, part: dict[str, Any]) -> Iterator[Piece]:
        if call := part.get("functionCall"):
            arguments = to_json(call.get("args") or {})
            self._length += len(arguments)
            call_id, name = str(call.get("id") or ""), str(call.get("name") or "")
            self._calls.append(ToolCall(id=call_id, name=name, arguments=arguments))
            self._parts.append(dict(part))
            return
        if part.get("thought"):
            return  # a summary for people; the model needs only the signature
        text = part.get("text")
        if text is None:
            return
        last = self._parts[-1] if self._parts else {}
        if set(last) == {"text"} and set(part) == {"text"}:
            last["text"] += str(text)
        else:
            self._parts.append(dict(part))
        if ready := self._text.take(text):
            yield TextPiece(ready)


def _chat_models(models: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of the models that generate content."""
    for model in models:
        if "generateContent" in model.get("supportedGenerationMethods", ("generateContent",)):
            yield str(model.get("name", "")).removeprefix("models/")
