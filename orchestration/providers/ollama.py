"""Client for the chat API of an Ollama server.

Sources: Ollama's API reference, "Generate a chat completion", and its pages on structured outputs,
thinking and tool calling. The stream is JSON by lines; arguments are objects, and calls have no
ids: a result contains the name of its tool. `truncate` and `shift` are off: a conversation that
does not fit the context is an error and is not shortened silently.

There is no tool choice. A required call is enforced by a response schema and parsed from the text;
a model that must not call a tool receives none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.exceptions import ProviderError
from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.errors import reported_error
from orchestration.providers.http_client import ModelListFormat, SettingNames, VendorClient
from orchestration.providers.openai_compatible import functions
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import schema_prompt, tool_call_schema, tool_choice_of
from orchestration.providers.sse import (
    Decoder,
    LineReader,
    StreamParser,
    TextBuffer,
    check_size,
    count_or_zero,
    cut_off_error,
    final_pieces,
    parse_arguments,
    parse_object,
    to_json,
)

OLLAMA = "http://127.0.0.1:11434"


class OllamaProvider(VendorClient):
    """Client of an Ollama server; `base_url` ends before `/api/chat`."""

    name = "ollama"
    setting_names = SettingNames("OLLAMA_API_KEY", "OLLAMA_BASE_URL", "OLLAMA_MODEL")
    model_list = ModelListFormat(
        "/api/tags", lambda page: (model.get("name") for model in page.get("models", ()))
    )

    def __init__(self, *, base_url: str = OLLAMA, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Return the address, the same for all models."""
        return f"{self._base}/api/chat"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a chat request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of lines with deltas."""
        return OllamaDecoder(model, self.secrets, must_call(request))

    def reader(self) -> StreamParser:
        """Return the parser of JSON lines."""
        return LineReader()


DIALECT = "ollama"


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of a streaming request."""
    agent, schema = request.agent, request.agent.response_schema
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, model),
        "stream": True,
        "truncate": False,
        "shift": False,
    }
    tools = () if tool_choice_of(request) == "none" else request.tools
    if tools:
        body["tools"] = functions(tools)
    if must_call(request):
        body["format"] = tool_call_schema(tools)
        body["messages"][0]["content"] += _CALL_PROMPT
    elif schema is not None and tools:
        body["messages"][0]["content"] += (
            f"\n\n{schema_prompt(schema)}"  # the setting excludes tools
        )
    elif schema is not None:
        body["format"] = schema
    if agent.reasoning_effort is not None:
        is_minimal = agent.reasoning_effort == "minimal"
        body["think"] = "low" if is_minimal else agent.reasoning_effort
    options: dict[str, Any] = {}
    if agent.temperature is not None:
        options["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        options["num_predict"] = agent.max_output_tokens
    if options:
        body["options"] = options
    return to_json(body).encode()


def must_call(request: ModelRequest) -> bool:
    """Report whether the answer must be a call, in the form of text."""
    return bool(request.tools) and tool_choice_of(request) == "required"


_CALL_PROMPT = (
    "\n\nCall one of your tools now: answer with JSON alone, "
    '{"name": "the tool\'s name", "arguments": {…}}.'
)


def _messages(request: ModelRequest, model: str) -> list[dict[str, Any]]:
    names: dict[str, str] = {}
    messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}]
    for message in request.messages:
        names.update((call.id, call.name) for call in message.tool_calls)
        messages.append(_message(message, names, model))
    return messages


def _message(message: PromptMessage, names: dict[str, str], model: str) -> dict[str, Any]:
    encoded: dict[str, Any] = {"role": message.role, "content": message.text}
    if (kept := message.kept) is not None and (kept.dialect, kept.model) == (DIALECT, model):
        for part in kept.parts:
            encoded |= part
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        encoded["tool_name"] = names.get(call_id, call_id)
    if message.tool_calls:
        encoded["tool_calls"] = _calls(message.tool_calls)
    return encoded


def _calls(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    return [
        {"function": {"name": call.name, "arguments": parse_arguments(call.arguments)}}
        for call in calls
    ]


@dataclass(slots=True)
class OllamaDecoder:
    """Decoder of one stream's lines into pieces. `secrets` never appear in errors."""

    model: str
    secrets: Secrets = ()
    must_call: bool = False
    """True if the text is a call and must not be shown."""
    ended: bool = False
    answer_id: str = ""
    """Always empty: Ollama has no ids."""
    _text: TextBuffer = field(default_factory=TextBuffer)
    _calls: list[ToolCall] = field(default_factory=list)
    _reason: str = "stop"
    _usage: tuple[int, int] = (0, 0)
    _length: int = 0
    _thought: list[str] = field(default_factory=list)
    _call_text: list[str] = field(default_factory=list)
    """Text of the required call."""

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the text of one line; calls are collected until the end."""
        line = parse_object(data)
        if error := line.get("error"):
            raise reported_error(error, self.secrets)
        message = line.get("message") or {}
        if thought := message.get("thinking"):
            self._append(self._thought, str(thought))
        if text := self._text.take(message.get("content") or ""):
            if self.must_call:
                self._append(self._call_text, text)
            else:
                yield TextPiece(text)
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            arguments = function.get("arguments")
            if not isinstance(arguments, str):
                arguments = to_json(arguments or {})
            self._length += len(arguments)
            name = str(function.get("name") or "")
            self._calls.append(
                ToolCall(id=str(call.get("id") or ""), name=name, arguments=arguments)
            )
        check_size(len(self._calls), self._length)
        if line.get("done"):
            self.ended = True
            self._reason = str(line.get("done_reason") or "stop")
            counts = line.get("prompt_eval_count"), line.get("eval_count")
            self._usage = (count_or_zero(counts[0]), count_or_zero(counts[1]))

    def finish(self) -> Iterator[Piece]:
        """Yield the calls and the end. Raises `ProviderError` if the answer was cut off."""
        if not self.ended:
            raise cut_off_error()
        reason: Ending = "length" if self._reason == "length" else "stop"
        if self._call_text and not self._calls:
            self._calls.append(_parse_call("".join(self._call_text), reason))
        kept = None
        if self._thought and self._calls:
            thinking = {"thinking": clean("".join(self._thought))}
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=(thinking,))
        yield from final_pieces(self._calls, Finished(*self._usage, reason, kept))

    def _append(self, pieces: list[str], text: str) -> None:
        pieces.append(text)
        self._length += len(text)


def _parse_call(text: str, reason: Ending) -> ToolCall:
    """Parse the required call; `final_pieces` rejects a call that was cut off."""
    call = parse_arguments(text)
    name, arguments = str(call.get("name") or ""), call.get("arguments") or {}
    if not name and reason != "length":
        raise ProviderError("The model did not call a tool, although its agent requires a call.")
    return ToolCall(id="", name=name, arguments=to_json(arguments))
