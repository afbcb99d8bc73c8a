"""Agents that hand the conversation over to each other (contract S-1 to S-8)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Mapping
from typing import Any, Literal, Self, Unpack

from orchestration.definition import Agent, Stage
from orchestration.events import Event
from orchestration.exceptions import CastError, SessionError
from orchestration.handoff import Handoff, add_handoff_transitions
from orchestration.library.agent_set import Cast, Providers
from orchestration.library.agent_specs import AgentSpec, AnyAgent, AnyTool
from orchestration.library.cast_pipeline import CastPipeline
from orchestration.library.handoff import declared_transitions
from orchestration.library.runner import RunContext, run_engine
from orchestration.runtime import ResultReader, RunResult


class Swarm:
    """Peers; one is active at a time, and answers or hands over to another.

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
    >>> [(each.from_agent, each.to_agent, each.count) for each in result.handoffs]
    [('triage', 'billing', 1)]

    A peer is an `AgentSpec`, an `Agent` of a definition, or a `Handoff` to one. Plain peers share
    one tool, `handoff(target, message)`. A `Handoff` with an `input_type` has its own tool,
    `transfer_to_…`, with the fields of that model as arguments. A peer may hand over to all others
    unless its `AgentSpec` lists targets.

    After `max_handoffs` handoffs in one run, the next one is refused and the run ends; with
    `limit_counts="requested"` the request that reaches the number is refused (contract D-1). With
    `detect_cycles` a run ends at a cycle of handoffs. Without `pass_full_history` a peer sees only
    the user's question and the text of the handoff, unless an `input_filter` selects otherwise.
    Invalid arguments raise `CastError`, which is a `ValueError`.
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
        peers = {name: peer for name, peer in agents.items() if isinstance(peer, Handoff)}
        self.agents = {name: _peer_agent(name, peer) for name, peer in agents.items()}
        if entry_agent not in self.agents:
            known = ", ".join(map(repr, self.agents)) or "none"
            raise CastError(f"There is no entry agent {entry_agent!r}. Known: {known}.")
        self.entry_agent = entry_agent
        self._cast = Cast.of(self.agents, tools, provider)
        transitions, filters = declared_transitions(
            self._cast, peers, full_history=pass_full_history
        )
        keys = self._cast.keys
        definition = self._cast.define(
            self.name,
            "swarm",
            stages=tuple(Stage(phase=key, agent_id=key) for key in keys.values()),
            transitions=transitions,
            entry=keys[entry_agent],
            handoff_tool_name=handoff_tool_name,
            limits={
                "max_handoffs": max_handoffs,
                "count_handoffs": limit_counts,
                "detect_cycles": detect_cycles,
            },
        )
        definition, added = add_handoff_transitions(definition, self._cast.functions)
        self._pipeline = CastPipeline.of(self._cast, definition, filters | added)
        self.definition = self._pipeline.definition

    def declared_workers(self) -> dict[str, AnyAgent]:
        """Return the agents of the peers by name."""
        return dict(self.agents)

    def run(self, prompt: str, **context: Unpack[RunContext]) -> SwarmRun:
        """Begin a run: iterate over its events, or await its result.

        The events are those of the engine, with agents by the caller's names (contract S-8):

        | swarm event | event |
        |---|---|
        | started | `run.started` |
        | active | `message.routed`, and `phase.changed` after each handoff |
        | handoff | `handoff.accepted`: `from_agent`, `to_agent`, `payload`, `hop` (the count) |
        | cycle | `cycle.detected`: `loop` |
        | limit | `limit.reached`: `resource`, `used`, `limit` |
        | completed | `run.completed`: `reason`, `usage`, `handoffs`; or `run.failed` |

        The events of each turn have their own session id, `{parent}__swarm_{peer}_{count}`. With
        the same `session_id` and the recorded `events` of a journal, the recorded part of the run
        is yielded again and the rest is run: no model and no tool is called twice (contract S-7).
        To continue a session with another message, use another `message_id`.
        """
        events = run_engine(self._pipeline, prompt, **context)
        return SwarmRun(events, ResultReader(self._cast.names, stops=_only_at_end))


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
        """Cancel the run unless it has ended."""
        await self._events.aclose()

    async def _finish(self) -> RunResult:
        try:
            async for _ in self:
                pass
        finally:
            await self.aclose()
        return self.result


def _peer_agent(name: str, peer: AnyAgent | Handoff) -> AnyAgent:
    """Return the agent of a peer, or the target of its handoff."""
    agent = peer.agent if isinstance(peer, Handoff) else peer
    if not isinstance(agent, Agent | AgentSpec):
        raise CastError(f"Agent {name!r} is a Handoff to a name, {agent!r}: pass the agent.")
    return agent


def _only_at_end(result: RunResult) -> bool:
    """Return true, so that the run has a single result at its end."""
    return True
