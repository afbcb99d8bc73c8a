"""Agents in a workflow, with handoffs or in a team (contract H-2 to H-6)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

from orchestration.conversation import handoff_stops, handoff_tool_set, team_stops, workflow_stops
from orchestration.definition import PipelineDefinition, Stage, Topology, Transition
from orchestration.events import StopReason
from orchestration.exceptions import CastError, HandlerError
from orchestration.handler import Handler
from orchestration.handoff import Filters, add_handoff_transitions
from orchestration.library.agent_set import Cast, Providers
from orchestration.library.agent_specs import AnyAgent, AnyTool, cast_names
from orchestration.library.cast_pipeline import CastPipeline
from orchestration.library.handoff import declared_transitions
from orchestration.library.runner import run_engine, run_options
from orchestration.runtime import ResultReader, RunResult


class SwarmMode(StrEnum):
    """Collaboration mode of the agents of an `AgentHandler`."""

    WORKFLOW = "workflow"
    """Each agent gets the output of the previous one (contract H-3)."""
    HANDOFF = "handoff"
    """The active agent answers or hands over (contract H-4)."""
    TEAM = "team"
    """The first agent delegates tasks to the others (contract H-5)."""


class AgentHandler(Handler[str, RunResult]):
    """Agents that answer together, in one of three modes.

    >>> import asyncio
    >>> from orchestration import AgentHandler, AgentSpec
    >>> from orchestration.definition import Cue
    >>> relay = AgentHandler(
    ...     agents={
    ...         "writer": AgentSpec(cues=[Cue(say="A draft of {message}")]),
    ...         "editor": AgentSpec(cues=[Cue(say="{message}, shortened")]),
    ...     },
    ...     mode="workflow",
    ... )
    >>> async def outputs(question):
    ...     return [(each.agent, each.output, each.reason) async for each in relay.handle(question)]
    >>> for agent, output, reason in asyncio.run(outputs("the news")):
    ...     print(agent, "|", output, "|", reason)
    writer | A draft of the news | None
    editor | A draft of the news, shortened | replied

    `agents` maps any names to `AgentSpec`s or to `Agent`s of a definition. `flow_order` is the
    order of a workflow, without the agents that do not participate; in the other modes its first
    agent begins. Without a `provider` the scripted provider plays the agents' cues. `max_handoffs`
    is the number of handoffs that a run may complete; with `limit_counts="requested"` the request
    that reaches this number is refused (contract D-1). `tools` are tools that agents use by name.
    """

    def __init__(
        self,
        *,
        agents: Mapping[str, AnyAgent],
        mode: SwarmMode | str = SwarmMode.WORKFLOW,
        flow_order: Sequence[str] | None = None,
        provider: Providers | None = None,
        max_handoffs: int = 10,
        limit_counts: Literal["completed", "requested"] = "completed",
        tools: Iterable[AnyTool] = (),
    ) -> None:
        self.mode = _mode(mode)
        self.agents = dict(agents)
        self.flow_order = cast_names(flow_order or agents, "flow_order")
        self._check_order()
        self._cast = Cast.of(self.agents, tools, provider)
        self._pipeline = CastPipeline.of(self._cast, *self._define(max_handoffs, limit_counts))
        self.definition = self._pipeline.definition

    async def handle(
        self,
        input: str,  # noqa: A002 - contract name
        **kwargs: Any,
    ) -> AsyncGenerator[RunResult, None]:
        """Yield each agent's result as soon as it exists; the last has the run's stop reason.

        In a team the lead's result comes last. A run that ends without an answer of its last agent,
        for example at a limit, yields one more result with the reason. After the result of a failed
        run, `HandlerError` is raised.

        `kwargs` are those of `orchestration.library.runner.RunContext`: `session_id`, `message_id`,
        `events` and `journal` to continue a recorded conversation, earlier `messages` and `state`,
        `hooks`, `ask_user` and so on. Unknown arguments are ignored.
        """
        reader = ResultReader(self._cast.names, self._stops, self._passing)
        events = run_engine(self._pipeline, input, **run_options(kwargs))
        result = None
        async with aclosing(events):
            async for event in events:
                if (result := reader.take(event)) is not None:
                    yield result
        if result is not None and result.reason == StopReason.FAILED:
            raise HandlerError(f"Agent {result.agent!r} failed: {result.error}")

    # Stop conditions (contract H-6): pure, the same as those of the engine

    def _check_workflow_stop(self, agent_name: str) -> bool:
        """Report whether the agent is the last in the flow."""
        return workflow_stops(self.definition, self._phase(agent_name))

    def _check_handoff_stop(self, result: RunResult, agent: Any) -> bool:
        """Report whether the agent's result is an answer, not a handoff."""
        names = [name for name, other in self.agents.items() if other is agent]
        name = names[0] if names and result.agent not in names else result.agent
        phase = self._phase(name)
        return handoff_stops(self.definition, phase, result.output, result.tool_calls)

    def _check_team_stop(self, agent_name: str) -> bool:
        """Report whether the agent is the lead, whose answer is the team's answer."""
        return team_stops(self.definition, self._phase(agent_name))

    def _stops(self, result: RunResult) -> bool:
        match self.mode:
            case SwarmMode.WORKFLOW:
                return self._check_workflow_stop(result.agent)
            case SwarmMode.HANDOFF:
                return self._check_handoff_stop(result, self.agents.get(result.agent))
            case SwarmMode.TEAM:
                return self._check_team_stop(result.agent)

    def _passing(self, phase: str) -> frozenset[str]:
        has_handoffs = self.mode is SwarmMode.HANDOFF
        return (
            handoff_tool_set(self.definition, self._phase(phase)) if has_handoffs else frozenset()
        )

    def _phase(self, agent_name: str) -> str:
        """Return the phase of an agent: its name, also for its key in an old recording."""
        return self._cast.name(agent_name)

    # The definition

    def _check_order(self) -> None:
        for name in self.flow_order:
            if name not in self.agents:
                raise HandlerError(f"Agent '{name}' not found in swarm")
            if self.flow_order.count(name) > 1:
                raise CastError(f"Agent {name!r} is in flow_order twice: name it once.")
        if not self.agents:
            raise HandlerError(f"{self.mode.title()} mode requires at least one agent")

    def _define(self, max_handoffs: int, limit_counts: str) -> tuple[PipelineDefinition, Filters]:
        keys = self._cast.keys
        first, *rest = dict.fromkeys((*self.flow_order, *self.agents))
        transitions: Iterable[Transition]
        filters: Filters = {}
        match self.mode:
            case SwarmMode.WORKFLOW:
                transitions = [
                    Transition(source=keys[source], target=keys[target])
                    for source, target in pairwise(self.flow_order)
                ]
            case SwarmMode.HANDOFF:
                transitions, filters = declared_transitions(self._cast)
            case SwarmMode.TEAM:
                transitions = [
                    Transition(source=keys[first], target=keys[name], kind="return")
                    for name in rest
                ]
        has_handoffs = self.mode is SwarmMode.HANDOFF
        definition = self._cast.define(
            self.mode.value,
            _TOPOLOGIES[self.mode],
            stages=tuple(Stage(phase=key, agent_id=key) for key in keys.values()),
            transitions=tuple(transitions),
            entry=keys[first],
            activations=None if has_handoffs else len(keys),
            limits={
                "max_handoffs": max_handoffs,
                "count_handoffs": limit_counts,
                "detect_cycles": False,
            },
        )
        definition, added = add_handoff_transitions(definition, self._cast.functions)
        return definition, filters | added


_TOPOLOGIES: dict[SwarmMode, Topology] = {
    SwarmMode.WORKFLOW: "workflow",
    SwarmMode.HANDOFF: "swarm",
    SwarmMode.TEAM: "team",
}


def _mode(mode: SwarmMode | str) -> SwarmMode:
    try:
        return SwarmMode(mode)
    except ValueError:
        known_modes = ", ".join(repr(each.value) for each in SwarmMode)
        raise CastError(f"There is no mode {mode!r}: choose one of {known_modes}.") from None
