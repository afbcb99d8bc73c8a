"""Handlers and swarms of the tests, and how their results are gathered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from orchestration import AgentHandler, AgentSpec, Handler, Swarm
from orchestration.events import Event
from orchestration.runtime import RunResult
from tests.orchestration.conversations import PlayedModel, calling
from tests.orchestration.topologies import Play, model_of

NAMES = ("a", "b", "c")


def handler(
    mode: str, plays: Mapping[str, Play] | None = None, names: Any = NAMES, **fields: Any
) -> AgentHandler:
    """Agents of these names, played so; those that are not played echo what they are told."""
    fields.setdefault("agents", {name: AgentSpec() for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    return AgentHandler(mode=mode, **fields)


def swarm(
    plays: Mapping[str, Play] | None = None, names: Any = NAMES, tools: Any = (), **fields: Any
) -> Swarm:
    """Peers of these names, played so; those that are not played echo what they are told."""
    fields.setdefault("agents", {name: AgentSpec(tools=tools) for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    fields.setdefault("entry_agent", next(iter(fields["agents"]), "a"))
    return Swarm(**fields)


def to(target: str, **arguments: str) -> Play:
    """Hands over to this one at once."""
    return lambda request: (calling("handoff", target=target, **arguments),)


def round_the(names: str) -> dict[str, Play]:
    """Each hands over to the next, and the last to the first."""
    return {name: to(names[(at + 1) % len(names)]) for at, name in enumerate(names)}


def never_asked() -> PlayedModel:
    """A model that may not be called."""
    return PlayedModel(lambda request: pytest.fail("a finished turn was run again"))


async def results_of(
    made: Handler[str, RunResult], text: str = "hi", **context: Any
) -> list[RunResult]:
    """All results of a handler."""
    return [result async for result in made.handle(text, **context)]


def said(results: list[RunResult]) -> list[tuple[str, str]]:
    """Who said what."""
    return [(result.agent, result.output) for result in results]


async def run(made: Swarm, prompt: str = "hi", **context: Any) -> tuple[list[Event], RunResult]:
    """The recorded events of a swarm's run, and its result."""
    running = made.run(prompt, **context)
    events = [event async for event in running if event.type != "message.delta"]
    return events, running.result


class Line(BaseModel):
    sku: str
    pieces: int = 1


class Refund(BaseModel):
    """What billing needs to know."""

    order: int
    lines: list[Line] = []

    @field_validator("order")
    @classmethod
    def _is_known(cls, order: int) -> int:
        if order == 13:
            raise ValueError("there is no order 13")
        return order
