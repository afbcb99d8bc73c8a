"""Values derived from a definition once and shared by all sessions that run it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from orchestration.conversation.filters import MessageFilter
from orchestration.conversation.memory import View
from orchestration.conversation.preview import Offer, offer
from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.exceptions import SchemaError
from orchestration.handoff import HandoffHandler
from orchestration.routing import ConversationRouter, PhaseMap, definition_rules
from orchestration.state import ConversationPhase, ConversationState
from orchestration.tokens import counter_for, estimate_tokens
from orchestration.tools import ExampleTool, compile_schema

Check = Callable[[object], list[str]]
"""Says what is wrong with a payload, a sentence for each fault."""


@dataclass(eq=False)
class Blueprint:
    """All that the loop asks of a definition: who routes, who may hand over, who is offered what.

    A group takes part in a conversation under the key of its stage.
    """

    definition: PipelineDefinition
    router: ConversationRouter = field(init=False)
    handoffs: HandoffHandler = field(init=False)
    stand_ins: Mapping[str, ExampleTool] = field(init=False)
    """The tools, played by their examples."""
    playing: Mapping[str, ExampleTool] = field(init=False)
    """Tools that their examples always answer, even if another implementation exists."""
    asks_first: frozenset[str] = field(init=False)
    """The tools of which a person approves each call."""
    stages: Mapping[str, str | None] = field(init=False)
    """Phase → who serves it (None: the human), for the stages that anybody serves."""
    phases: Mapping[str, tuple[str, ...]] = field(init=False)
    """The phases that each agent or group serves."""
    sticky: bool = field(init=False)
    """True if the agent that answered last answers again; otherwise every message begins at the
    entry.
    """
    peers: bool = field(init=False)
    """True in a swarm: each peer's turns have a session of their own (contract S-7)."""
    detects_cycles: bool = field(init=False)
    _offers: dict[tuple[str, str], Offer] = field(default_factory=dict)
    _views: dict[str, View] = field(default_factory=dict)
    """An empty view for each agent."""
    _parts: dict[tuple[str, str | None], Blueprint] = field(default_factory=dict)
    _checks: dict[tuple[str, ...], Check] = field(default_factory=dict)
    _answers: dict[str, Check] = field(default_factory=dict)
    filters: Mapping[tuple[str, str], MessageFilter] = field(init=False)
    """By source and target, for the transitions that keep something from their target."""

    def __post_init__(self) -> None:
        definition = self.definition
        self.stages = _staffed(definition)
        phase_map = PhaseMap((who, phase) for phase, who in self.stages.items() if who)
        self.phases = phase_map.all
        self.stand_ins = {tool.name: ExampleTool.from_definition(tool) for tool in definition.tools}
        self.playing = {
            tool.name: self.stand_ins[tool.name] for tool in definition.tools if tool.stand_in
        }
        self.asks_first = frozenset(
            tool.name
            for tool in definition.tools
            if tool.approval and (tool.kind != "user_input" or tool.stand_in)
        )
        self.sticky = definition.topology in ("pipeline", "swarm")
        self.peers = definition.topology == "swarm"
        wanted = definition.limits.detect_cycles
        self.detects_cycles = self.peers if wanted is None else wanted
        self.filters = {
            (way.source, way.target): MessageFilter.of(way.input_filter)
            for way in definition.transitions
            if way.input_filter.keep != "full" and self.sticky
        }
        participants = {*definition.agents_by_id, *self.phases}
        self.router = router_of(definition)
        self.handoffs = HandoffHandler(
            agents=participants,
            agent_aliases=definition.aliases,
            phase_map=phase_map,
            allowed_transitions={
                phase: [way.target for way in ways if way.target in self.stages]
                for phase, ways in definition.transitions_from.items()
            },
            stages=self.stages,
            allow_human=definition.allow_human,
        )

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Blueprint:
        """The blueprint of this very definition: shared while a session holds it, and kept a while.

        A server makes a session for each message; the last few definitions are worth keeping.
        """
        found = _BLUEPRINTS.get(id(definition))
        if found is None or found.definition is not definition:
            found = _BLUEPRINTS[id(definition)] = cls(definition)
            _RECENT.append(found)
        return found

    def first_state(self) -> ConversationState:
        """Return the initial state: the entry stage, held by the human if it is a human's stage."""
        definition = self.definition
        phase = definition.entry or next(
            (stage.phase for stage in definition.stages), ConversationPhase.INTAKE.value
        )
        stage = definition.stages_by_phase.get(phase)
        return ConversationState(phase=phase, with_human=bool(stage and stage.kind == "human"))

    def offer(self, phase: str, agent_id: str) -> Offer:
        """Return the prompt parts and tools that the agent gets in a phase."""
        found = self._offers.get((phase, agent_id))
        if found is None:
            found = self._offers[phase, agent_id] = offer(self.definition, phase, agent_id)
        return found

    def view(self, agent_id: str) -> View:
        """An agent's view of a history, empty yet."""
        found = self._views.get(agent_id)
        if found is None:
            agent = self.definition.agents_by_id.get(agent_id)
            count = counter_for(agent.model).count if agent else estimate_tokens
            found = self._views[agent_id] = View(agent_id, self.hears(agent_id), count)
        return found.branch()

    def keep(
        self,
        view: View,
        source: str,
        target: str,
        payload: dict[str, Any] | None,
        state: ConversationState,
    ) -> None:
        """Take from the view what the transition's filter does not keep (contract S-4).

        Raises `FilterError` where the filter fails; then the view is as it was.
        """
        found = self.filters.get((source, target))
        if found is not None:
            view.keep(found.kept(view.messages, payload, state))

    def faults(self, source: str, target: str, payload: object) -> list[str]:
        """List the errors in the payload of a typed handoff between two stages (contract S-3).

        A handoff that is not typed has no payload, and no faults.
        """
        check = self._checks.get((source, target))
        if check is None:
            ways = self.definition.transitions_from.get(source, ())
            schema = next((way.input_schema for way in ways if way.target == target), None)
            check = _unchecked if schema is None else compile_schema(schema)
            self._checks[source, target] = check
        return check(payload)

    def call_faults(self, name: str, arguments: dict[str, Any]) -> list[str]:
        """List the errors in the arguments of a tool call, checked against the tool's schema."""
        check = self._checks.get((name,))
        if check is None:
            tool = self.definition.tools_by_name.get(name)
            try:
                check = compile_schema(tool.parameters) if tool else _unchecked
            except SchemaError:  # what cannot be checked by is for who answers the tool to check
                check = _unchecked
            self._checks[name,] = check
        return check(arguments)

    def check_of_answers(self, agent: Agent) -> Check | None:
        """Return the check of an agent's answers; None without a response schema.

        Raises `SchemaError`, which says whose schema it is, where it cannot be one.
        """
        if agent.response_schema is None:
            return None
        check = self._answers.get(agent.id)
        if check is None:
            try:
                check = self._answers[agent.id] = compile_schema(agent.response_schema, "answer")
            except SchemaError as error:
                raise SchemaError(
                    f"The schema that the answers of agent {agent.id!r} follow is wrong: {error}"
                ) from None
        return check

    def part(self, phase: str, agent_id: str | None = None) -> Blueprint:
        """The pipeline of one stage alone, or of one agent in it: what a subtask runs."""
        found = self._parts.get((phase, agent_id))
        if found is None:
            found = self._parts[phase, agent_id] = Blueprint(self._alone(phase, agent_id))
        return found

    def members(self, phase: str) -> tuple[str, ...]:
        """Return the members of the group that serves a stage; empty without a group."""
        stage = self.definition.stages_by_phase.get(phase)
        return stage.group.agents if stage is not None and stage.group is not None else ()

    def hears(self, agent_id: str) -> frozenset[str | None] | None:
        """Return the speakers whose messages an agent receives; None means everybody.

        None in the set is the user.

        In a workflow an agent receives only the output of the previous stage (contract H-3).
        """
        if self.definition.topology != "workflow":
            return None
        heard: set[str | None] = set()
        for phase in self.phases.get(agent_id, ()):
            if phase == self.definition.entry:
                heard.add(None)
            for way in self.definition.transitions:
                if way.target == phase and way.kind == "next":
                    before = self.definition.stages_by_phase.get(way.source)
                    heard.update(before.agent_ids if before else ())
        return frozenset(heard)

    def _alone(self, phase: str, agent_id: str | None) -> PipelineDefinition:
        definition = self.definition
        stage = definition.stages_by_phase.get(phase) or Stage(phase=phase)
        if agent_id is not None:
            stage = Stage(phase=phase, agent_id=agent_id, description=stage.description)
        wanted = set(stage.agent_ids)
        return PipelineDefinition(
            name=definition.name,
            agents=tuple(agent for agent in definition.agents if agent.id in wanted),
            stages=(stage,),
            tools=definition.tools,
            limits=definition.limits,
            entry=phase,
        )


def router_of(definition: PipelineDefinition) -> ConversationRouter:
    """Return the router of a definition, which may be a draft.

    In all but pipelines and swarms every message begins at the entry, and no rule is asked.
    """
    staffed = _staffed(definition)
    is_sticky = definition.topology in ("pipeline", "swarm")
    entry = staffed.get(definition.entry or "")
    return ConversationRouter(
        rules=definition_rules(definition) if is_sticky else (),
        default_agent_id=definition.default_agent_id or entry if is_sticky else entry,
        supervisor_id=definition.supervisor_id,
        participants={*definition.agents_by_id, *filter(None, staffed.values())},
        affinity=is_sticky,
    )


def _unchecked(payload: object) -> list[str]:
    return []


def _staffed(definition: PipelineDefinition) -> dict[str, str | None]:
    staffed: dict[str, str | None] = {}
    for stage in definition.stages:
        if stage.kind == "human":
            staffed[stage.phase] = None
        elif stage.kind == "group" and stage.group is not None:
            staffed[stage.phase] = stage.phase
        elif stage.agent_id in definition.agents_by_id:
            staffed[stage.phase] = stage.agent_id
    return staffed


_BLUEPRINTS: WeakValueDictionary[int, Blueprint] = WeakValueDictionary()
_RECENT: deque[Blueprint] = deque(maxlen=16)
