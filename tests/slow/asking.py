"""What the slow tests ask of the vendors' clients."""

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
    """A vendor's client, and where a server that speaks for many vendors has that vendor's API."""

    client: type[VendorClient]
    path: str

    def at(self, url: str, retry_policy: RetryPolicy | None = None) -> VendorClient:
        """The client of such a server."""
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
    """What one turn of an agent with these settings sends."""
    agent = Agent(id="agent-a", name="A", **settings)
    return ModelRequest(agent, "intake", (), messages, tuple(tools))


def asked(text: str) -> PromptMessage:
    """What the user says."""
    return PromptMessage("user", text)


async def answer(client: VendorClient, what: ModelRequest) -> list[Piece]:
    """The pieces of an answer."""
    return [piece async for piece in client.stream(what)]


def text_of(pieces: Sequence[Piece]) -> str:
    """What was said."""
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def calls_of(pieces: Sequence[Piece]) -> list[CallPiece]:
    """What was called."""
    return [piece for piece in pieces if isinstance(piece, CallPiece)]
