"""Chat-completions server with given answers, for tests of the client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from orchestration.definition import Agent
from orchestration.prompts import PromptPart
from orchestration.providers.http_client import RetryPolicy, VendorClient
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from orchestration.providers.provider import ModelRequest, Piece, PromptMessage

KEY = "sk-very-secret"

QUICK = RetryPolicy(first_wait=0.0)
ONCE = RetryPolicy(tries=1)

ASKED = ModelRequest(
    agent=Agent(id="agent-a", name="A", model="m1"),
    phase="intake",
    system_parts=(PromptPart("base", "You are A."), PromptPart("instructions", "Be kind.")),
    messages=[PromptMessage("user", "hi")],
)

Answer = httpx.Response | Exception


class Server:
    """Server that sends these answers in order, and then repeats the last one."""

    def __init__(self, *answers: Answer | Callable[[], Answer]) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        response = answer() if callable(answer) else answer
        if isinstance(response, Exception):
            raise response
        return response

    def provider(self, **options: Any) -> OpenAICompatibleProvider:
        fields: dict[str, Any] = {"base_url": "http://models.test/v1", "api_key": KEY}
        fields |= {"retry_policy": QUICK, "transport": httpx.MockTransport(self)}
        return OpenAICompatibleProvider(**fields | options)


class Bytes(httpx.AsyncByteStream):
    """Body in these pieces; it may then fail or hang."""

    def __init__(self, pieces: list[bytes], then: Exception | None = None, hang: bool = False):
        self._pieces, self._then, self._hang = pieces, then, hang

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._hang:
            await asyncio.Event().wait()
        if self._then is not None:
            raise self._then


def streamed(*pieces: bytes, **options: Any) -> httpx.Response:
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        stream=Bytes(list(pieces), **options),
    )


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> bytes:
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return b"data: " + json.dumps({"choices": choices} | fields).encode() + b"\n\n"


def part(
    index: int | None = 0, call_id: str | None = None, name: str | None = None, arguments: Any = ""
):
    function = {"arguments": arguments} | ({"name": name} if name else {})
    call: dict[str, Any] = {"function": function}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call |= {"id": call_id, "type": "function"}
    return {"tool_calls": [call]}


DONE = b"data: [DONE]\n\n"

HELLO = [
    chunk({"role": "assistant", "content": "Hel"}),
    chunk({"content": "lo."}),
    chunk({}, "stop"),
]

USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}}\n\n'


async def pieces_of(provider: VendorClient, request: ModelRequest = ASKED) -> list[Piece]:
    try:
        return [piece async for piece in provider.stream(request)]
    finally:
        await provider.aclose()


async def answered(*answers: Answer | Callable[[], Answer]) -> list[Piece]:
    return await pieces_of(Server(*answers).provider())


def with_messages(*messages: PromptMessage, **changes: Any) -> ModelRequest:
    fields = {
        "agent": ASKED.agent,
        "phase": "intake",
        "system_parts": ASKED.system_parts,
        "messages": messages,
    }
    return ModelRequest(**fields | changes)  # type: ignore[arg-type]
