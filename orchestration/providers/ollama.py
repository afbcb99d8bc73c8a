"""A client of an Ollama server's own chat API.

Sources: Ollama's API reference, "Generate a chat completion", and its pages on structured outputs,
thinking and tool calling. The stream is JSON by lines; arguments are objects, and calls have no
ids: a result names its tool. What does not fit the context is an error, and not left out in
silence: `truncate` and `shift` are off.

There is no tool choice. A call that has to be is made by the schema of its answer, and read from
its text; a model that must not call is shown no tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestration.exceptions import ProviderError
from orchestration.messages import Ending, ProviderState, ToolCall, clean
from orchestration.network import Secrets
from orchestration.providers.http_client import Catalogue, Variables, VendorClient
from orchestration.providers.openai_compatible import functions
from orchestration.providers.provider import Finished, ModelRequest, Piece, PromptMessage, TextPiece
from orchestration.providers.request_options import choice_of, form_of_calls, in_words
from orchestration.providers.sse import (
    Decoder,
    LineReader,
    StreamParser,
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

OLLAMA = "http://127.0.0.1:11434"


class OllamaProvider(VendorClient):
    """Asks an Ollama server; `base_url` ends before `/api/chat`."""

    name = "ollama"
    variables = Variables("OLLAMA_API_KEY", "OLLAMA_BASE_URL", "OLLAMA_MODEL")
    catalogue = Catalogue(
        "/api/tags", lambda page: (one.get("name") for one in page.get("models", ()))
    )

    def __init__(self, *, base_url: str = OLLAMA, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/api/chat"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """A chat request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Lines with deltas."""
        return OllamaDecoder(model, self.secrets, has_to_call(request))

    def reader(self) -> StreamParser:
        """JSON by lines."""
        return LineReader()


DIALECT = "ollama"


def encode_request(request: ModelRequest, *, model: str) -> bytes:
    """The body of a streaming request."""
    agent, schema = request.agent, request.agent.response_schema
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, model),
        "stream": True,
        "truncate": False,
        "shift": False,
    }
    tools = () if choice_of(request) == "none" else request.tools
    if tools:
        body["tools"] = functions(tools)
    if has_to_call(request):
        body["format"] = form_of_calls(tools)
        body["messages"][0]["content"] += _HOW_TO_CALL
    elif schema is not None and tools:
        body["messages"][0]["content"] += f"\n\n{in_words(schema)}"  # the setting bars tools
    elif schema is not None:
        body["format"] = schema
    if agent.reasoning_effort is not None:
        least = agent.reasoning_effort == "minimal"
        body["think"] = "low" if least else agent.reasoning_effort
    options: dict[str, Any] = {}
    if agent.temperature is not None:
        options["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        options["num_predict"] = agent.max_output_tokens
    if options:
        body["options"] = options
    return to_json(body).encode()


def has_to_call(request: ModelRequest) -> bool:
    """Report whether the answer must be a call, which is then in its text."""
    return bool(request.tools) and choice_of(request) == "required"


_HOW_TO_CALL = (
    "\n\nCall one of your tools now: answer with JSON alone, "
    '{"name": "the tool\'s name", "arguments": {…}}.'
)


def _messages(request: ModelRequest, model: str) -> list[dict[str, Any]]:
    names: dict[str, str] = {}
    said: list[dict[str, Any]] = [{"role": "system", "content": request.system}]
    for message in request.messages:
        names.update((call.id, call.name) for call in message.tool_calls)
        said.append(_message(message, names, model))
    return said


def _message(message: PromptMessage, names: dict[str, str], model: str) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if (kept := message.kept) is not None and (kept.dialect, kept.model) == (DIALECT, model):
        for part in kept.parts:
            found |= part
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
    """Turns the lines of one stream into pieces. `secrets` are quoted in no error."""

    model: str
    secrets: Secrets = ()
    has_to_call: bool = False
    """True if the text is a call and is not shown."""
    ended: bool = False
    answer_id: str = ""
    """Nothing has one here."""
    _text: Text = field(default_factory=Text)
    _calls: list[ToolCall] = field(default_factory=list)
    _reason: str = "stop"
    _usage: tuple[int, int] = (0, 0)
    _written: int = 0
    _thought: list[str] = field(default_factory=list)
    _unread: list[str] = field(default_factory=list)
    """The text that is a call."""

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The text of one line; calls are kept until the end."""
        line = read_object(data)
        if error := line.get("error"):
            raise reported(error, self.secrets)
        message = line.get("message") or {}
        if thought := message.get("thinking"):
            self._keep(self._thought, str(thought))
        if text := self._text.take(message.get("content") or ""):
            if self.has_to_call:
                self._keep(self._unread, text)
            else:
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
        reason: Ending = "length" if self._reason == "length" else "stop"
        if self._unread and not self._calls:
            self._calls.append(_call_in("".join(self._unread), reason))
        kept = None
        if self._thought and self._calls:
            thinking = {"thinking": clean("".join(self._thought))}
            kept = ProviderState(dialect=DIALECT, model=self.model, parts=(thinking,))
        yield from closing(self._calls, Finished(*self._usage, reason, kept))

    def _keep(self, pieces: list[str], text: str) -> None:
        pieces.append(text)
        self._written += len(text)


def _call_in(text: str, reason: Ending) -> ToolCall:
    """The call that an answer was made to be; half of one is for `closing` to refuse."""
    found = arguments_of(text)
    name, given = str(found.get("name") or ""), found.get("arguments") or {}
    if not name and reason != "length":
        raise ProviderError("The model was to call a tool, and answered with something else.")
    return ToolCall(id="", name=name, arguments=to_json(given))
