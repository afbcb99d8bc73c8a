"""A client of Google's Gemini API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from orchestration.providers.base import ModelRequest
from orchestration.providers.client import Variables, VendorClient
from orchestration.providers.gemini_wire import GeminiDecoder, encode_request
from orchestration.providers.wire import Decoder

GEMINI = "https://generativelanguage.googleapis.com/v1beta"


class GeminiProvider(VendorClient):
    """Asks Gemini; `base_url` ends before `/models/`."""

    name = "gemini"
    variables = Variables("GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL")

    def __init__(self, *, base_url: str = GEMINI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """Each model has its own; the answer comes as server-sent events."""
        named = quote(model.removeprefix("models/"), safe="")
        return f"{self._base}/models/{named}:streamGenerateContent?alt=sse"

    def headers(self) -> dict[str, str]:
        """The key in a header, never in the address."""
        return {"x-goog-api-key": self._key} if self._key else {}

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """A generateContent request."""
        return encode_request(request, model=model)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Chunks with parts."""
        return GeminiDecoder(model, self.secrets)
