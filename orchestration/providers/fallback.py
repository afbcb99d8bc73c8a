"""A provider with another one behind it, which is asked where the first fails for good."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import msgspec

from orchestration.exceptions import ProviderError
from orchestration.providers.provider import ModelRequest, Piece, Provider, Retry, TextPiece


@dataclass(frozen=True, slots=True)
class WithFallback:
    """Asks the first provider; where that fails, says so and asks the second.

    Not once text has been shown, unless the agent says otherwise. Each has the time of a turn.
    """

    first: Provider
    second: Provider | None
    """None: the agent names one that is not connected."""

    @property
    def name(self) -> str:
        """The first one's."""
        return self.first.name

    def model_of(self, request: ModelRequest) -> str:
        """The first one's."""
        return self.first.model_of(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Ask the first, and the second where that fails."""
        agent, shown = request.agent, False
        try:
            async with aclosing(self.first.stream(request)) as pieces:
                async for piece in pieces:
                    shown = isinstance(piece, TextPiece) or (shown and not _voids(piece))
                    yield piece
                return
        except ProviderError as error:
            failed = error
        if shown and not agent.retry_shown:
            raise failed
        if self.second is None:
            raise failed.again(
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
            raise error.again(
                f"{error} It was asked because {self.first.name} had failed: {failed}",
                request_id=None,
            ) from None


def _voids(piece: Piece) -> bool:
    return isinstance(piece, Retry) and piece.shown
