"""The interface of handlers."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from orchestration import Handler


class Words(Handler[str, str]):
    """Yields the words of a text."""

    async def handle(self, input: str, **kwargs: Any) -> AsyncIterator[str]:  # noqa: A002
        for word in input.split():
            yield word


async def test_a_handler_yields_outputs_for_one_input():
    """Contract H-1."""
    assert [word async for word in Words().handle("one two")] == ["one", "two"]


def test_a_handler_without_handle_cannot_be_created():
    """Contract H-1."""

    class Incomplete(Handler[str, str]):
        pass

    with pytest.raises(TypeError, match="handle"):
        Incomplete()  # type: ignore[abstract]
