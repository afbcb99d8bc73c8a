"""A client of any server that speaks the chat-completions protocol."""

from __future__ import annotations

from typing import Any

from orchestration.providers.base import ModelRequest
from orchestration.providers.chat_wire import ChatDecoder, encode_request
from orchestration.providers.client import Variables, VendorClient
from orchestration.providers.wire import Decoder

OPENAI = "https://api.openai.com/v1"


class OpenAICompatibleProvider(VendorClient):
    """Asks a chat-completions server; `base_url` ends before `/chat/completions`."""

    name = "openai_compatible"
    variables = Variables("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")

    def __init__(self, *, base_url: str = OPENAI, **options: Any) -> None:
        super().__init__(base_url=base_url, **options)

    def url(self, model: str) -> str:
        """One for all models."""
        return f"{self._base}/chat/completions"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """OpenAI's own newer models know only the longer name of the limit, others the older."""
        own = self._base.startswith(OPENAI)
        limit_name = "max_completion_tokens" if own else "max_tokens"
        return encode_request(request, model=model, limit_name=limit_name)

    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Chunks with deltas."""
        return ChatDecoder(model, self.secrets)
