"""A provider with a fallback provider, used when the first one fails permanently."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import msgspec

from orchestration.exceptions import ProviderError
from orchestration.providers.provider import ModelRequest, Piece, Provider, Retry, TextPiece


@dataclass(frozen=True, slots=True)
class WithFallback:
    """Provider that uses the first one; after its failure it yields `Retry` and uses the second.

    Once text was shown, a failure is final, unless the agent allows more. Each provider has the
    full time of a turn.
    """

    first: Provider
    second: Provider | None
    """None: the agent's fallback is not connected."""

    @property
    def name(self) -> str:
        """Name of the first provider."""
        return self.first.name

    def model_of(self, request: ModelRequest) -> str:
        """Return the model of the first provider."""
        return self.first.model_of(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Stream from the first provider; if it fails, from the second."""
        agent, shown = request.agent, False
        try:
            async with aclosing(self.first.stream(request)) as pieces:
                async for piece in pieces:
                    shown = isinstance(piece, TextPiece) or (shown and not _discards_text(piece))
                    yield piece
                return
        except ProviderError as error:
            failed = error
        if shown and not agent.retry_shown:
            raise failed
        if self.second is None:
            raise failed.with_message(
                f"{failed} Its fallback {agent.fallback!r} is not connected.",
                request_id=failed.request_id,
            )
        other = msgspec.structs.replace(request, agent=agent.with_fallback())
        yield Retry(
            attempt=1,
            of=2,
            error=type(failed).__name__,
            message=str(failed),
            wait=0.0,
            shown=shown,
            provider=self.second.name,
            model=self.second.model_of(other),
        )
        try:
            async with aclosing(self.second.stream(other)) as pieces:
                async for piece in pieces:
                    yield piece
        except ProviderError as error:
            raise error.with_message(
                f"{error} It was used as the fallback, because {self.first.name} failed: {failed}",
                request_id=None,
            ) from None


def _discards_text(piece: Piece) -> bool:
    return isinstance(piece, Retry) and piece.shown
