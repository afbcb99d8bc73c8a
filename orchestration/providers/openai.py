"""A client of OpenAI's Responses API."""

from __future__ import annotations

from typing import Any

from orchestration.providers.base import ModelRequest
from orchestration.providers.client import Variables, VendorClient
from orchestration.providers.openai_compatible import OPENAI
from orchestration.providers.responses_wire import ResponsesDecoder, encode_request
from orchestration.providers.wire import Decoder


class OpenAIProvider(VendorClient):
    """Asks OpenAI, or a server that speaks its format; `base_url` ends before `/responses`."""

    name = "openai"
    variables = Variables("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")

    def __init__(self, *, base_url: str = OPENAI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/responses"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """A Responses request, which is stored nowhere."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Typed events."""
        return ResponsesDecoder(model, self.secrets)
