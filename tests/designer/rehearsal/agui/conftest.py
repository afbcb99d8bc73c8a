"""Fixtures of the tests of AG-UI streams."""

from collections.abc import AsyncIterator

import pytest_asyncio

from designer.rehearsal import live


@pytest_asyncio.fixture
async def shut_down_runs() -> AsyncIterator[None]:
    """Stop all runs after the test."""
    yield
    await live.shut_down()
