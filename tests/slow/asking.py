"""Requests of the slow tests to the vendors' clients, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestration.definition import Agent
from orchestration.providers.anthropic import AnthropicProvider
from orchestration.providers.gemini import GeminiProvider
from orchestration.providers.http_client import RetryPolicy, VendorClient
from orchestration.providers.ollama import OllamaProvider
from orchestration.providers.openai import OpenAIProvider
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from orchestration.providers.provider import (
    CallPiece,
    ModelRequest,
    Piece,
    PromptMessage,
    TextPiece,
)
from orchestration.tools import ToolSpec

LOOK_UP = ToolSpec(
    "look_up",
    "Looks a city up.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)

SHORT = RetryPolicy(between=1.0, turn=60.0, retry_within=30.0, first_wait=0.1)


@dataclass(frozen=True)
class Dialect:
    """A vendor's client, and the path of its API on a server for many vendors."""

    client: type[VendorClient]
    path: str

    def at(self, url: str, retry_policy: RetryPolicy | None = None) -> VendorClient:
        """Return a client of such a server."""
        return self.client(
            base_url=url + self.path, api_key="sk-none", model="model-1", retry_policy=retry_policy
        )


AIMOCK: Mapping[str, Dialect] = {
    "openai_compatible": Dialect(OpenAICompatibleProvider, "/v1"),
    "openai": Dialect(OpenAIProvider, "/v1"),
    "anthropic": Dialect(AnthropicProvider, ""),
    "gemini": Dialect(GeminiProvider, "/v1beta"),
    "ollama": Dialect(OllamaProvider, ""),
}

LLMOCK: Mapping[str, Dialect] = {
    "openai_compatible": Dialect(OpenAICompatibleProvider, "/v1"),
    "openai": Dialect(OpenAIProvider, "/v1"),
    "anthropic": Dialect(AnthropicProvider, "/anthropic"),
    "gemini": Dialect(GeminiProvider, "/gemini/v1beta"),
}

LLAMA: Mapping[str, Dialect] = {name: AIMOCK[name] for name in ("openai_compatible", "openai")} | {
    "anthropic": AIMOCK["anthropic"]
}


def request(
    *messages: PromptMessage, tools: Sequence[ToolSpec] = (), **settings: Any
) -> ModelRequest:
    """Return the request of one turn of an agent with these settings."""
    agent = Agent(id="agent-a", name="A", **settings)
    return ModelRequest(agent, "intake", (), messages, tuple(tools))


def asked(text: str) -> PromptMessage:
    """Return a message of the user."""
    return PromptMessage("user", text)


async def answer(client: VendorClient, what: ModelRequest) -> list[Piece]:
    """Return the pieces of an answer."""
    return [piece async for piece in client.stream(what)]


def text_of(pieces: Sequence[Piece]) -> str:
    """Return the text of an answer."""
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def calls_of(pieces: Sequence[Piece]) -> list[CallPiece]:
    """Return the tool calls of an answer."""
    return [piece for piece in pieces if isinstance(piece, CallPiece)]
