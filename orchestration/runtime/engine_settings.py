"""Settings of an engine, in addition to the definition and the events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from os import urandom
from typing import Any, Required, TypedDict

from orchestration import events as e
from orchestration.control import Approve
from orchestration.conversation import CallCost, FindPipeline, MemoryProvider
from orchestration.handoff import Filter
from orchestration.hooks import Hooks, Observer
from orchestration.providers import Provider
from orchestration.runtime.journal import Journal
from orchestration.tools import RunnableTool, ToolSource

AskTheUser = Callable[[e.InputRequested], Awaitable[str | None] | str | None]
"""Return the answer to a tool's question; None leaves it to the user's next message.

It may be a plain or an async function.
"""


class RunSettings(TypedDict, total=False):
    """Optional settings of a run."""

    journal: Journal
    """Storage of the events."""
    hooks: Hooks
    observers: Iterable[Observer]
    """Functions that receive every recorded event, in order (contract O-5)."""
    memory: MemoryProvider
    ask_user: AskTheUser
    """Answer to a tool's question to the user."""
    approve: Approve
    """Decision about a call that needs approval."""
    pipelines: FindPipeline
    """Search for the pipelines of subtask tools."""
    call_cost: CallCost
    """Cost of a model call, for the limit of the cost; without it no call has a price."""
    secrets: Collection[str]
    """Values to redact in answers and results, in addition to the keys of providers and remote
    tools.
    """
    clock: Callable[[], datetime]
    new_id: Callable[[], str]


class EngineSettings(RunSettings, total=False):
    """Settings of an engine."""

    providers: Required[Mapping[str, Provider]]
    """Providers of the agents, by the names that the definition uses."""
    tools: Mapping[str, RunnableTool | Callable[..., Any]]
    """Implementations of tools, by their names."""
    remote_tools: ToolSource
    """Source of remote tools."""
    variables: Mapping[str, str]
    """Values of the pipeline's variables; they apply from the next message on."""
    filters: Mapping[tuple[str, str], Filter]
    """Message filters by the source and target of a transition."""


now: Callable[[], datetime] = partial(datetime.now, UTC)
"""The default clock. Each event reads it: a partial is faster than a function in Python."""


def new_id() -> str:
    """Return a random run id: the default."""
    return urandom(16).hex()
