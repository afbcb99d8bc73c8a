"""Conditions of runs."""

from __future__ import annotations

from designer.models import Conversation
from tests.designer.live_waits import (
    types,
)


def is_quiet_after(conversation: Conversation, runs: int):
    async def condition() -> bool:
        return (await types(conversation)).count("run.completed") == runs

    return condition
