"""The one loop's mind: what comes next, as a closed union (DESIGN §5).

`next_step` is pure. It looks at the fold of the events and says what is to be done; the session
does it, yields the events, folds them, and asks again until the step is the last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from weakref import WeakValueDictionary

from orchestration.definition import PipelineDefinition
from orchestration.events import HandoffRequested, StopReason
from orchestration.fold import Conversation, Run
from orchestration.handoff import HANDOFF_TOOL_NAME, HandoffHandler
from orchestration.messages import ToolCall
from orchestration.pipeline import PhaseMap, definition_rules
from orchestration.preview import Offer, offer
from orchestration.routing import ConversationRouter
from orchestration.state import ConversationPhase, ConversationState
from orchestration.tools.function import ExampleTool


@dataclass(frozen=True, slots=True)
class Receive:
    """Take in the message that set the run going."""


@dataclass(frozen=True, slots=True)
class Route:
    """Ask the router who answers."""


@dataclass(frozen=True, slots=True)
class Enter:
    """Tell of a phase: the one a handoff led to, or the one the chosen agent serves."""

    from_phase: str
    to_phase: str
    reason: str


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the active agent's model: one turn."""

    agent_id: str
    turn: int
    started: bool
    """The turn was started by a process that did not end it."""


@dataclass(frozen=True, slots=True)
class CallTools:
    """Run the calls of a turn, all at once."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class RequestHandoff:
    """Read a call of the handoff tool."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class DecideHandoff:
    """Decide on a handoff that was asked for."""

    request: HandoffRequested


@dataclass(frozen=True, slots=True)
class Stop:
    """A limit bars the way on."""

    resource: Literal["turns", "handoffs"]
    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class Finish:
    """End the run."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class Fail:
    """End the run on an error that is the pipeline's own."""

    error: str
    message: str


Step = (
    Receive
    | Route
    | Enter
    | CallModel
    | CallTools
    | RequestHandoff
    | DecideHandoff
    | Stop
    | Finish
    | Fail
)

_REASONS: dict[str, StopReason] = {
    "turns": StopReason.TURN_LIMIT,
    "handoffs": StopReason.HANDOFF_LIMIT,
    "context": StopReason.CONTEXT_LIMIT,
}


@dataclass(eq=False)
class Blueprint:
    """What follows from a definition, made once however many sessions run it."""

    definition: PipelineDefinition
    router: ConversationRouter = field(init=False)
    handoffs: HandoffHandler = field(init=False)
    stand_ins: Mapping[str, ExampleTool] = field(init=False)
    """The tools, played by their examples."""
    phases: Mapping[str, tuple[str, ...]] = field(init=False)
    """Agent → the phases it serves."""
    _offers: dict[tuple[str, str], Offer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        definition = self.definition
        phase_map = PhaseMap(
            (stage.agent_id, stage.phase) for stage in definition.stages if stage.agent_id
        )
        self.phases = phase_map.all
        self.stand_ins = {tool.name: ExampleTool.from_definition(tool) for tool in definition.tools}
        entry = definition.stages_by_phase.get(definition.entry or "")
        default = definition.default_agent_id or (entry.agent_id if entry else None)
        self.router = ConversationRouter(
            rules=definition_rules(definition),
            default_agent_id=default,
            supervisor_id=definition.supervisor_id,
            participants=definition.agents_by_id,
        )
        stages = _staffed(definition)
        self.handoffs = HandoffHandler(
            agents=definition.agents_by_id,
            agent_aliases=definition.aliases,
            phase_map=phase_map,
            allowed_transitions={
                phase: [way.target for way in ways if way.target in stages]
                for phase, ways in definition.transitions_from.items()
            },
            stages=stages,
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
        """Where a conversation begins: the entry stage, the human's if it is one."""
        definition = self.definition
        phase = definition.entry or next(
            (stage.phase for stage in definition.stages), ConversationPhase.INTAKE.value
        )
        stage = definition.stages_by_phase.get(phase)
        return ConversationState(phase=phase, with_human=bool(stage and stage.kind == "human"))

    def offer(self, phase: str, agent_id: str) -> Offer:
        """What the agent is offered in a phase."""
        found = self._offers.get((phase, agent_id))
        if found is None:
            found = self._offers[phase, agent_id] = offer(self.definition, phase, agent_id)
        return found


def _staffed(definition: PipelineDefinition) -> dict[str, str | None]:
    """Phase → who serves it (None: the human), for the stages that anybody serves."""
    return {
        stage.phase: None if stage.kind == "human" else stage.agent_id
        for stage in definition.stages
        if stage.kind == "human" or stage.agent_id in definition.agents_by_id
    }


_BLUEPRINTS: WeakValueDictionary[int, Blueprint] = WeakValueDictionary()
_RECENT: deque[Blueprint] = deque(maxlen=16)


def next_step(conversation: Conversation, run: Run, blueprint: Blueprint) -> Step:
    """What comes next in `run`. Pure: the same fold gives the same step."""
    if not run.received:
        return Receive()
    if run.routed is None:
        return Route()
    if run.limit is not None:
        return Finish(_REASONS[run.limit.resource])
    if run.phase_left is not None:
        reason = run.winner[1].reason if run.winner else ""
        return Enter(run.phase_left, conversation.state.phase, reason)
    if run.open_calls:
        return _settle(run)
    return _go_on(conversation, run, blueprint)


def _settle(run: Run) -> Step:
    """Every call of the turn gets its result: tools first, then handoffs in order."""
    if run.requested is not None:
        return DecideHandoff(run.requested)
    tools = tuple(call for call in run.open_calls.values() if call.name != HANDOFF_TOOL_NAME)
    if tools:
        return CallTools(tools)
    return RequestHandoff(next(iter(run.open_calls.values())))


def _go_on(conversation: Conversation, run: Run, blueprint: Blueprint) -> Step:
    """No call is open: end the run, or ask the next model."""
    definition, state = blueprint.definition, conversation.state
    if state.with_human:
        return Finish(StopReason.WAITING_FOR_HUMAN)
    agent_id = state.active_agent_id
    if agent_id is None or run.routed is None or run.routed.by == "nobody":
        reason = run.routed.reason if run.routed else ""
        return Fail("RoutingError", f"Nobody answers. {reason}".strip())
    if run.answered:
        return Finish(StopReason.REPLIED)
    if run.over_limit and run.winner is None:
        return Stop("handoffs", run.handoffs, definition.limits.max_handoffs)
    if run.winner is not None and definition.on_handoff == "wait":
        return Finish(StopReason.REPLIED if run.said else StopReason.WAITING_FOR_USER)
    if run.turns == 0 and (stage := _own_stage(agent_id, state.phase, blueprint)):
        return Enter(state.phase, stage, run.routed.reason)
    if run.asking:
        return CallModel(agent_id, run.turns, started=True)
    if run.turns >= definition.limits.max_turns:
        return Stop("turns", run.turns, definition.limits.max_turns)
    return CallModel(agent_id, run.turns + 1, started=False)


def _own_stage(agent_id: str, phase: str, blueprint: Blueprint) -> str | None:
    """The stage that a chosen agent enters; None where it serves the present one, or none."""
    served = blueprint.phases.get(agent_id, ())
    if not served or phase in served:
        return None
    entry = blueprint.definition.entry
    if entry in served:
        return entry
    ways = blueprint.definition.transitions_from.get(phase, ())
    near = next((way.target for way in ways if way.target in served), None)
    return near or served[0]
