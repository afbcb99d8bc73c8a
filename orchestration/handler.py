"""Handler interface: one input, a stream of outputs (contract H-1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

IN = TypeVar("IN")
OUT = TypeVar("OUT")


class Handler(ABC, Generic[IN, OUT]):
    """A unit that turns one input into a stream of outputs."""

    @abstractmethod
    def handle(self, input: IN, **kwargs: Any) -> AsyncIterator[OUT]:  # noqa: A002 - contract name
        """Process `input`; yield outputs as soon as they exist."""
