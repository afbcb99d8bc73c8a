"""Text messages of the AG-UI protocol: whole ones, and answers that stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ag_ui.core import (
    BaseEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)


@dataclass(slots=True)
class AnswerPart:
    """Part of an answer in progress."""

    run_id: str
    turn: int
    fence: int
    """Fence of the worker: another worker starts the answer again."""
    offset: int
    text: str


@dataclass(slots=True)
class AnswerProgress:
    """Sent part of an answer in progress."""

    message_id: str
    fence: int
    sent: int


def message_id(run_id: str, turn: int, fence: int = 0) -> str:
    """Return the id of a turn's answer: of a worker's stream, or of the recorded answer (0)."""
    return f"{run_id}.{turn}.{fence}" if fence else f"{run_id}.{turn}"


def whole_text(
    message: str, text: str, *, role: Any = "assistant", name: str = "", task: str | None = None
) -> Iterator[BaseEvent]:
    """Yield the events of a whole message."""
    ids = {"message_id": message, "subagent_run_id": task}
    yield TextMessageStartEvent(**ids, role=role, name=name or None)
    if text:
        yield TextMessageContentEvent(**ids, delta=text)
    yield TextMessageEndEvent(**ids)
