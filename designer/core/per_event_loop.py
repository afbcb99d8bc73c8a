"""Values per event loop: locks, clients and sockets only work in the loop that created them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class PerEventLoop(Generic[T]):
    """One value per event loop, created on first use and dropped with its loop."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: WeakKeyDictionary[asyncio.AbstractEventLoop, T] = WeakKeyDictionary()

    def get(self) -> T:
        """Return the value of the running event loop, created on first use."""
        loop = asyncio.get_running_loop()
        if loop not in self._values:
            self._values[loop] = self._make()
        return self._values[loop]

    def set(self, value: T) -> None:
        """Replace the value of the running event loop."""
        self._values[asyncio.get_running_loop()] = value

    def pop(self) -> T | None:
        """Remove and return the value of the running event loop; None if there is none."""
        return self._values.pop(asyncio.get_running_loop(), None)
