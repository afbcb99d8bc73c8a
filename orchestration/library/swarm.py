"""Peers that pass the conversation to each other (contract S-1 to S-8)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Mapping
from typing import Any, Literal, Self, Unpack

from orchestration.definition import Agent, Stage
from orchestration.events import Event
from orchestration.exceptions import CastError, SessionError
from orchestration.handoff import Handoff, add_handoff_transitions
from orchestration.library.agent_set import Cast, Providers
from orchestration.library.agent_specs import AgentSpec, AnyAgent, AnyTool
from orchestration.library.handoff import draw
from orchestration.library.runner import RunContext, drive
from orchestration.runtime import ResultReader, RunResult


class Swarm:
    """Peers, of whom one has the conversation at a time, and hands it over or answers.

    >>> import asyncio
    >>> from orchestration import AgentSpec, Swarm
    >>> from orchestration.definition import Cue, CueHandoff
    >>> swarm = Swarm(
    ...     agents={
    ...         "triage": AgentSpec(cues=[Cue(hand_over=CueHandoff(target="billing"))]),
    ...         "billing": AgentSpec(cues=[Cue(say="Your invoice is on its way.")]),
    ...     },
    ...     entry_agent="triage",
    ... )
    >>> async def answer(question):
    ...     return await swarm.run(question)
    >>> result = asyncio.run(answer("Where is my invoice?"))
    >>> result.agent, result.output, result.reason.value
    ('billing', 'Your invoice is on its way.', 'replied')
    >>> [(one.from_agent, one.to_agent, one.count) for one in result.handoffs]
    [('triage', 'billing', 1)]

    A peer is an `AgentSpec`, an `Agent` of a definition, or a `Handoff` to one. Plain peers share
    one tool, `handoff(target, message)`. A `Handoff` with an `input_type` has a tool of its own,
    `transfer_to_…`, whose arguments are that model's fields. Whom a peer may hand over to are all
    the others, unless its `AgentSpec` names some.

    After `max_handoffs` in one run the next one is refused and the run ends; with
    `limit_counts="requested"` the request that makes up the number is refused (contract D-1). With
    `detect_cycles` a run ends where its handoffs go in a circle. Without `pass_full_history` a peer
    is shown the user's question and the handoff's own words alone, unless an `input_filter` chooses
    otherwise. Arguments that do not go together raise `CastError`, which is a `ValueError`.
    """

    name = "swarm"

    def __init__(
        self,
        *,
        agents: Mapping[str, AnyAgent | Handoff],
        entry_agent: str,
        max_handoffs: int = 8,
        detect_cycles: bool = True,
        pass_full_history: bool = True,
        handoff_tool_name: str = "handoff",
        limit_counts: Literal["completed", "requested"] = "completed",
        provider: Providers | None = None,
        tools: Iterable[AnyTool] = (),
    ) -> None:
        peers = {name: one for name, one in agents.items() if isinstance(one, Handoff)}
        self.agents = {name: _unwrapped(name, one) for name, one in agents.items()}
        if entry_agent not in self.agents:
            known = ", ".join(map(repr, self.agents)) or "none"
            raise CastError(
                f"The entry agent {entry_agent!r} is no agent here. There are: {known}."
            )
        self.entry_agent = entry_agent
        self._cast = Cast.of(self.agents, tools, provider)
        ways, filters = draw(self._cast, peers, full_history=pass_full_history)
        keys = self._cast.keys
        definition = self._cast.define(
            self.name,
            "swarm",
            stages=tuple(Stage(phase=key, agent_id=key) for key in keys.values()),
            transitions=ways,
            entry=keys[entry_agent],
            handoff_tool_name=handoff_tool_name,
            limits={
                "max_handoffs": max_handoffs,
                "count_handoffs": limit_counts,
                "detect_cycles": detect_cycles,
            },
        )
        self.definition, drawn = add_handoff_transitions(definition, self._cast.functions)
        self._filters = filters | drawn

    def declared_workers(self) -> dict[str, AnyAgent]:
        """The peers by their names, without the handoffs that they were given in."""
        return dict(self.agents)

    def run(self, prompt: str, **context: Unpack[RunContext]) -> SwarmRun:
        """The run that a prompt sets going: its events as they come, and in the end its result.

        The events are those of the engine, with agents by their keys (contract S-8):

        | a swarm tells | event |
        |---|---|
        | started | `run.started` |
        | active | `message.routed`, and `phase.changed` after each handoff |
        | handoff | `handoff.accepted`: `from_agent`, `to_agent`, `payload`, `hop` (the count) |
        | cycle | `cycle.detected`: `loop` |
        | limit | `limit.reached`: `resource`, `used`, `limit` |
        | completed | `run.completed`: `reason`, `usage`, `handoffs`; or `run.failed` |

        Each turn's events have a session id of their own, `{parent}__swarm_{peer}_{count}`. With
        the same `session_id`, and as `events` what a journal has kept, the run comes again as it
        was recorded, and only what is not recorded is done: no model and no tool is called twice
        (contract S-7). A session goes on with another message under another `message_id`.
        """
        events = drive(self._cast, self.definition, prompt, filters=self._filters, **context)
        return SwarmRun(events, ResultReader(self._cast.names, stops=_always))


class SwarmRun(AsyncIterator[Event]):
    """A run of a swarm: iterate over its events, or await its result."""

    def __init__(self, events: AsyncGenerator[Event, None], reader: ResultReader) -> None:
        self._events, self._reader = events, reader
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult:
        """Return the result of the run; raise `SessionError` before its end."""
        if self._result is None:
            raise SessionError("The run has not ended: iterate over its events, or await it.")
        return self._result

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        event = await anext(self._events)
        self._result = self._reader.take(event) or self._result
        return event

    def __await__(self) -> Generator[Any, None, RunResult]:
        return self._finish().__await__()

    async def aclose(self) -> None:
        """End the run, if it has begun and not ended, as cancelled."""
        await self._events.aclose()

    async def _finish(self) -> RunResult:
        try:
            async for _ in self:
                pass
        finally:
            await self.aclose()
        return self.result


def _unwrapped(name: str, peer: AnyAgent | Handoff) -> AnyAgent:
    """Return the agent of a peer, or the target of its handoff."""
    agent = peer.agent if isinstance(peer, Handoff) else peer
    if not isinstance(agent, Agent | AgentSpec):
        raise CastError(f"Agent {name!r} is a Handoff to a name, {agent!r}: give it the agent.")
    return agent


def _always(result: RunResult) -> bool:
    """One result, when the run has ended."""
    return True
