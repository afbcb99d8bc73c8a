"""Texts in the words of the AG-UI protocol: whole ones, and answers as they stream."""

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
    """Some of an answer under way, as it streams."""

    run_id: str
    turn: int
    fence: int
    """Fence of the worker: another worker begins the answer anew."""
    offset: int
    text: str


@dataclass(slots=True)
class AnswerProgress:
    """Sent part of an answer in progress."""

    message_id: str
    fence: int
    sent: int


def message_id(run_id: str, turn: int, fence: int = 0) -> str:
    """The id of a turn's answer: as a worker streams it, or (0) as it was recorded."""
    return f"{run_id}.{turn}.{fence}" if fence else f"{run_id}.{turn}"


def whole_text(
    message: str, text: str, *, role: Any = "assistant", name: str = "", task: str | None = None
) -> Iterator[BaseEvent]:
    """A whole message at once."""
    head = {"message_id": message, "subagent_run_id": task}
    yield TextMessageStartEvent(**head, role=role, name=name or None)
    if text:
        yield TextMessageContentEvent(**head, delta=text)
    yield TextMessageEndEvent(**head)
