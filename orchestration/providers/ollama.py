"""A client of an Ollama server's own chat API."""

from __future__ import annotations

from typing import Any

from orchestration.providers.base import ModelRequest
from orchestration.providers.client import Variables, VendorClient
from orchestration.providers.ollama_wire import OllamaDecoder, encode_request, has_to_call
from orchestration.providers.wire import Decoder, LineReader, StreamParser

OLLAMA = "http://127.0.0.1:11434"


class OllamaProvider(VendorClient):
    """Asks an Ollama server; `base_url` ends before `/api/chat`."""

    name = "ollama"
    variables = Variables("OLLAMA_API_KEY", "OLLAMA_BASE_URL", "OLLAMA_MODEL")

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
