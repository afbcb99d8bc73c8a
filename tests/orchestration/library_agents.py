"""Handlers and swarms of the tests, and helpers to collect their results."""

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
    """Create agents with these names; an agent without a play echoes its input."""
    fields.setdefault("agents", {name: AgentSpec() for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    return AgentHandler(mode=mode, **fields)


def swarm(
    plays: Mapping[str, Play] | None = None, names: Any = NAMES, tools: Any = (), **fields: Any
) -> Swarm:
    """Create peers with these names; a peer without a play echoes its input."""
    fields.setdefault("agents", {name: AgentSpec(tools=tools) for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    fields.setdefault("entry_agent", next(iter(fields["agents"]), "a"))
    return Swarm(**fields)


def to(target: str, **arguments: str) -> Play:
    """Return a play that hands over to the target at once."""
    return lambda request: (calling("handoff", target=target, **arguments),)


def handoff_ring(names: str) -> dict[str, Play]:
    """Return plays in which each agent hands over to the next, and the last to the first."""
    return {name: to(names[(index + 1) % len(names)]) for index, name in enumerate(names)}


def forbidden_model() -> PlayedModel:
    """Return a model that fails the test if it is called."""
    return PlayedModel(lambda request: pytest.fail("a finished turn was run again"))


async def results_of(
    handler: Handler[str, RunResult], text: str = "hi", **context: Any
) -> list[RunResult]:
    """Return all results of a handler."""
    return [result async for result in handler.handle(text, **context)]


def outputs(results: list[RunResult]) -> list[tuple[str, str]]:
    """Return agent and output of each result."""
    return [(result.agent, result.output) for result in results]


async def run(peers: Swarm, prompt: str = "hi", **context: Any) -> tuple[list[Event], RunResult]:
    """Return the recorded events of a swarm's run and its result."""
    running = peers.run(prompt, **context)
    events = [event async for event in running if event.type != "message.delta"]
    return events, running.result


class Line(BaseModel):
    sku: str
    pieces: int = 1


class Refund(BaseModel):
    """Payload of a handoff to billing."""

    order: int
    lines: list[Line] = []

    @field_validator("order")
    @classmethod
    def _is_known(cls, order: int) -> int:
        if order == 13:
            raise ValueError("there is no order 13")
        return order
