"""A client of Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

from orchestration.providers.base import ModelRequest
from orchestration.providers.client import Variables, VendorClient
from orchestration.providers.messages_wire import MessagesDecoder, encode_request
from orchestration.providers.wire import Decoder

ANTHROPIC = "https://api.anthropic.com"

VERSION = "2023-06-01"
"""Version of the API, sent with every request."""


class AnthropicProvider(VendorClient):
    """Asks Anthropic, or a server that speaks its format; `base_url` ends before `/v1/messages`."""

    name = "anthropic"
    variables = Variables("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL")

    def __init__(self, *, base_url: str = ANTHROPIC, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/v1/messages"

    def headers(self) -> dict[str, str]:
        """The version, and the key in a header of its own."""
        return {"anthropic-version": VERSION} | ({"x-api-key": self._key} if self._key else {})

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """A Messages request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Blocks with deltas."""
        return MessagesDecoder(model, self.secrets)
