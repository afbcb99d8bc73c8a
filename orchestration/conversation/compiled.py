"""Values derived from a definition once and shared by all sessions that run it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

from cachetools import LRUCache

from orchestration.conversation.budget import RunLimits
from orchestration.conversation.filters import MessageFilter
from orchestration.conversation.memory import View
from orchestration.conversation.preview import Offer, offer, supervisor_offer
from orchestration.conversation.stop_conditions import stops
from orchestration.conversation.supervision.tools import supervisor_tools
from orchestration.definition import HUMAN, Agent, PipelineDefinition, Stage
from orchestration.exceptions import SchemaError
from orchestration.handoff import HandoffHandler
from orchestration.routing import ConversationRouter, PhaseMap, definition_rules
from orchestration.state import ConversationPhase, ConversationState
from orchestration.tokens import counter_for, estimate_tokens
from orchestration.tools import ExampleTool, ToolSpec, compile_schema
from orchestration.validation import Issue, errors, validate

MAX_FILLED = 256

Check = Callable[[object], list[str]]
"""Returns the errors in a payload, one sentence each."""


@dataclass(eq=False)
class CompiledPipeline:
    """A definition prepared for the loop: router, handoff check, prompts and tools.

    A group participates in a conversation under the key of its stage.
    """

    definition: PipelineDefinition
    supervisor_tools: tuple[ToolSpec, ...] | None = None
    """Tools of the supervisor, if this pipeline consists of its calls."""
    router: ConversationRouter = field(init=False)
    handoffs: HandoffHandler = field(init=False)
    stand_ins: Mapping[str, ExampleTool] = field(init=False)
    """Tools that answer with their examples."""
    forced_stand_ins: Mapping[str, ExampleTool] = field(init=False)
    """Tools that answer with their examples even if another implementation exists."""
    tools_with_approval: frozenset[str] = field(init=False)
    """Tools whose calls need a person's approval."""
    stages: Mapping[str, str | None] = field(init=False)
    """Phase → agent or group that serves it (None: the human); unserved stages are missing."""
    phases: Mapping[str, tuple[str, ...]] = field(init=False)
    """Agent or group → phases that it serves."""
    sticky: bool = field(init=False)
    """True if the agent that answered last answers again; otherwise every message begins at the
    entry.
    """
    peers: bool = field(init=False)
    """True in a swarm: each peer has its own session id (contract S-7)."""
    detects_cycles: bool = field(init=False)
    groups: Mapping[str, Stage] = field(init=False)
    """Stages with a group, by phase."""
    continuing: frozenset[str] = field(init=False)
    """Phases whose answer does not end the run."""
    # The loop reads the next values in every turn, and attributes of pydantic models are slow.
    entry: str | None = field(init=False)
    max_turns: int = field(init=False)
    waits_after_handoff: bool = field(init=False)
    """True if the target of a handoff answers the next message, not the current one."""
    max_handoffs: int = field(init=False)
    counts_requests: bool = field(init=False)
    """True if refused handoffs count towards the limit."""
    max_context_tokens: int = field(init=False)
    run_limits: RunLimits = field(init=False)
    variables: Mapping[str, str] = field(init=False)
    """Default values of the variables."""
    _offers: MutableMapping[tuple[str, ...], Offer] = field(default_factory=dict)
    _filled_offers: MutableMapping[tuple[str, ...], Offer] = field(
        default_factory=lambda: LRUCache(MAX_FILLED)
    )
    """Offers with other values of the variables than the defaults."""
    _views: dict[str, View] = field(default_factory=dict)
    """An empty view for each agent."""
    _parts: dict[tuple[str, str | None], CompiledPipeline] = field(default_factory=dict)
    _supervisors: dict[tuple[str, str, int], CompiledPipeline] = field(default_factory=dict)
    _checks: dict[tuple[str, ...], Check] = field(default_factory=dict)
    _answer_checks: dict[str, Check] = field(default_factory=dict)
    filters: Mapping[tuple[str, str], MessageFilter] = field(init=False)
    """Filters of transitions, by source and target; transitions without a filter are missing."""

    def __post_init__(self) -> None:
        definition = self.definition
        self.stages = _servers(definition)
        phase_map = PhaseMap((server, phase) for phase, server in self.stages.items() if server)
        self.phases = phase_map.all
        self.stand_ins = {tool.name: ExampleTool.from_definition(tool) for tool in definition.tools}
        self.forced_stand_ins = {
            tool.name: self.stand_ins[tool.name] for tool in definition.tools if tool.stand_in
        }
        self.tools_with_approval = frozenset(
            tool.name
            for tool in definition.tools
            if tool.approval and (tool.kind != "user_input" or tool.stand_in)
        )
        self.sticky = definition.topology in ("pipeline", "swarm")
        self.peers = definition.topology == "swarm"
        limits = definition.limits
        self.detects_cycles = self.peers if limits.detect_cycles is None else limits.detect_cycles
        self.waits_after_handoff = definition.on_handoff == "wait"
        self.counts_requests = limits.count_handoffs == "requested"
        self.groups = {stage.phase: stage for stage in definition.stages if stage.kind == "group"}
        self.continuing = frozenset(
            stage.phase for stage in definition.stages if not stops(definition, stage.phase)
        )
        self.variables = definition.variables
        self.entry, self.max_turns = definition.entry, limits.max_turns
        self.max_handoffs, self.max_context_tokens = limits.max_handoffs, limits.max_context_tokens
        self.run_limits = RunLimits.of(limits)
        self.filters = {
            (transition.source, transition.target): MessageFilter.of(transition.input_filter)
            for transition in definition.transitions
            if transition.input_filter.keep != "full" and self.sticky
        }
        participants = {*definition.agents_by_id, *self.phases}
        self.router = router_of(definition)
        self.handoffs = HandoffHandler(
            agents=participants,
            agent_aliases=definition.aliases,
            phase_map=phase_map,
            allowed_transitions={
                phase: [each.target for each in transitions if each.target in self.stages]
                for phase, transitions in definition.transitions_from.items()
            },
            stages=self.stages,
            allow_human=definition.allow_human,
            names={agent.id: agent.name for agent in definition.agents},
        )

    @classmethod
    def of(cls, definition: PipelineDefinition) -> CompiledPipeline:
        """Return the compiled form of this definition object, from the cache if possible.

        A server opens a session for each message, so the most recent definitions stay cached.
        """
        pipeline = _COMPILED.get(id(definition))
        if pipeline is None or pipeline.definition is not definition:
            pipeline = _COMPILED[id(definition)] = cls(definition)
            _RECENT.append(pipeline)
        return pipeline

    @cached_property
    def errors(self) -> tuple[Issue, ...]:
        """Issues that block a run."""
        return errors(validate(self.definition))

    def first_state(self, variables: Mapping[str, str] | None = None) -> ConversationState:
        """Return the initial state: the entry stage, held by the human if it is a human's stage.

        The variables of this pipeline have the values in `variables`, else their defaults.
        """
        if not variables:
            return self._first_state
        return self._first_state.with_variables(self.values_of(variables))

    @cached_property
    def _first_state(self) -> ConversationState:
        definition = self.definition
        phase = definition.entry or next(
            (stage.phase for stage in definition.stages), ConversationPhase.INTAKE.value
        )
        return ConversationState(
            phase=phase,
            with_human=self._is_human(phase),
            variables=self.values_of({}),
        )

    def state_at(self, phase: str) -> ConversationState:
        """Return the state of a conversation that begins at another stage, with its agent."""
        return ConversationState(
            phase=phase,
            active_agent_id=self.stages.get(phase),
            with_human=self._is_human(phase),
        )

    def values_of(self, variables: Mapping[str, str]) -> Mapping[str, str]:
        """Return the values of this pipeline's variables; a missing one has its default."""
        return {name: variables.get(name, default) for name, default in self.variables.items()}

    def offer(self, phase: str, agent_id: str, variables: Mapping[str, str] | None = None) -> Offer:
        """Return the prompt parts and tools that the agent gets in a phase.

        Without `variables` the variables have their defaults; the tools are the same.
        """
        offers: MutableMapping[tuple[str, ...], Offer] = self._offers
        key: tuple[str, ...] = (phase, agent_id)
        values = self.variables
        if values and variables and (other := self.values_of(variables)) != values:
            offers, key, values = self._filled_offers, (*key, *other.values()), other
        if (cached := offers.get(key)) is None:
            if self.supervisor_tools is None:
                cached = offer(self.definition, phase, agent_id, values)
            else:
                tools = self.supervisor_tools
                cached = supervisor_offer(self.definition, phase, agent_id, tools, values)
            offers[key] = cached
        return cached

    def view(self, agent_id: str) -> View:
        """Return a new empty view of a history for an agent."""
        view = self._views.get(agent_id)
        if view is None:
            agent = self.definition.agents_by_id.get(agent_id)
            count = counter_for(agent.model).count if agent else estimate_tokens
            view = self._views[agent_id] = View(agent_id, self.visible_authors(agent_id), count)
        return view.copy()

    def apply_filter(
        self,
        view: View,
        source: str,
        target: str,
        payload: dict[str, Any] | None,
        state: ConversationState,
    ) -> None:
        """Remove the messages that the transition's filter excludes from a view (contract S-4).

        Raises `FilterError` if the filter fails; the view is then unchanged.
        """
        message_filter = self.filters.get((source, target))
        if message_filter is not None:
            view.replace(message_filter.select(view.messages, payload, state))

    def payload_errors(self, source: str, target: str, payload: object) -> list[str]:
        """List the errors in the payload of a typed handoff between two stages (contract S-3).

        A handoff without a schema has no errors.
        """
        check = self._checks.get((source, target))
        if check is None:
            transitions = self.definition.transitions_from.get(source, ())
            schema = next(
                (each.input_schema for each in transitions if each.target == target), None
            )
            check = _no_errors if schema is None else compile_schema(schema)
            self._checks[source, target] = check
        return check(payload)

    def call_errors(self, name: str, arguments: dict[str, Any]) -> list[str]:
        """List the errors in the arguments of a tool call, checked against the tool's schema."""
        check = self._checks.get((name,))
        if check is None:
            tool = self.definition.tools_by_name.get(name)
            try:
                check = compile_schema(tool.parameters) if tool else _no_errors
            except SchemaError:  # the implementation of the tool checks its arguments
                check = _no_errors
            self._checks[name,] = check
        return check(arguments)

    def answer_check(self, agent: Agent) -> Check | None:
        """Return the check of an agent's answers; None without a response schema.

        Raises `SchemaError`, with the agent's id, if the schema is invalid.
        """
        if agent.response_schema is None:
            return None
        check = self._answer_checks.get(agent.id)
        if check is None:
            try:
                check = compile_schema(agent.response_schema, "answer")
            except SchemaError as error:
                raise SchemaError(
                    f"The response schema of agent {agent.id!r} is invalid: {error}"
                ) from None
            self._answer_checks[agent.id] = check
        return check

    def part(self, phase: str, agent_id: str | None = None) -> CompiledPipeline:
        """Return the pipeline of a single stage, or of one of its agents, for a subtask."""
        pipeline = self._parts.get((phase, agent_id))
        if pipeline is None:
            definition = self._single_stage(phase, agent_id)
            pipeline = self._parts[phase, agent_id] = CompiledPipeline(definition)
        return pipeline

    def supervisor(self, agent_id: str, phase: str, turns: int) -> CompiledPipeline:
        """Return the pipeline of a supervisor's call in a phase, with at most `turns` turns."""
        key = (agent_id, phase, turns)
        pipeline = self._supervisors.get(key)
        if pipeline is None:
            definition = self.definition
            agents = [agent for agent in definition.agents if agent.id == agent_id]
            targets = self.handoffs.allowed_targets(ConversationState(phase=phase))
            tools = supervisor_tools(definition, [name for name in targets if name != HUMAN])
            pipeline = self._supervisors[key] = CompiledPipeline(
                PipelineDefinition(
                    name=definition.name,
                    agents=tuple(agent.model_copy(update={"tools": ()}) for agent in agents),
                    stages=(Stage(phase=phase, agent_id=agent_id),),
                    limits=definition.limits.model_copy(update={"max_turns": max(turns, 1)}),
                    entry=phase,
                    variables=definition.variables,
                ),
                tools,
            )
        return pipeline

    def members(self, phase: str) -> tuple[str, ...]:
        """Return the members of the group that serves a stage; empty without a group."""
        stage = self.definition.stages_by_phase.get(phase)
        return stage.group.agents if stage is not None and stage.group is not None else ()

    def visible_authors(self, agent_id: str) -> frozenset[str | None] | None:
        """Return the authors whose messages an agent receives; None means all authors.

        None in the set is the user. In a workflow an agent receives only the output of the previous
        stage (contract H-3).
        """
        if self.definition.topology != "workflow":
            return None
        authors: set[str | None] = set()
        for phase in self.phases.get(agent_id, ()):
            if phase == self.entry:
                authors.add(None)
            for transition in self.definition.transitions:
                if transition.target == phase and transition.kind == "next":
                    previous = self.definition.stages_by_phase.get(transition.source)
                    authors.update(previous.agent_ids if previous else ())
        return frozenset(authors)

    def _is_human(self, phase: str) -> bool:
        stage = self.definition.stages_by_phase.get(phase)
        return stage is not None and stage.kind == "human"

    def _single_stage(self, phase: str, agent_id: str | None) -> PipelineDefinition:
        definition = self.definition
        # The parts are valid, and agents in code have names that are no keys.
        stage = definition.stages_by_phase.get(phase) or Stage.model_construct(phase=phase)
        if agent_id is not None:
            stage = Stage.model_construct(
                phase=phase, agent_id=agent_id, description=stage.description
            )
        agent_ids = set(stage.agent_ids)
        return PipelineDefinition.model_construct(
            name=definition.name,
            agents=tuple(agent for agent in definition.agents if agent.id in agent_ids),
            stages=(stage,),
            tools=definition.tools,
            limits=definition.limits,
            entry=phase,
            variables=definition.variables,
        )


def router_of(definition: PipelineDefinition) -> ConversationRouter:
    """Return the router of a definition, which may be a draft.

    Outside of pipelines and swarms every message goes to the entry, and no rule applies.
    """
    servers = _servers(definition)
    is_sticky = definition.topology in ("pipeline", "swarm")
    entry = servers.get(definition.entry or "")
    return ConversationRouter(
        rules=definition_rules(definition) if is_sticky else (),
        default_agent_id=definition.default_agent_id or entry if is_sticky else entry,
        supervisor_id=definition.supervisor_id,
        participants={*definition.agents_by_id, *filter(None, servers.values())},
        affinity=is_sticky,
    )


def _no_errors(payload: object) -> list[str]:
    return []


def _servers(definition: PipelineDefinition) -> dict[str, str | None]:
    servers: dict[str, str | None] = {}
    for stage in definition.stages:
        if stage.kind == "human":
            servers[stage.phase] = None
        elif stage.kind == "group" and stage.group is not None:
            servers[stage.phase] = stage.phase
        elif stage.agent_id in definition.agents_by_id:
            servers[stage.phase] = stage.agent_id
    return servers


_COMPILED: WeakValueDictionary[int, CompiledPipeline] = WeakValueDictionary()
_RECENT: deque[CompiledPipeline] = deque(maxlen=16)
