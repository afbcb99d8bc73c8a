"""A pipeline of stages in Python, and what follows from it (contract O-11 and O-12)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from orchestration.definition import PipelineDefinition
from orchestration.routing.router import ConversationRouter, RoutingConditions, RoutingRule


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """A stage: who serves the phase, what comes next, and where it may go back to."""

    phase: str
    agent_id: str | None
    """None: the human serves it, or nobody is chosen yet."""
    next: str | None = None
    can_return_to: Collection[str] = frozenset()


class PhaseMap(dict[str, str]):
    """First phase of each agent; `all` has every phase of each agent (contract O-12)."""

    def __init__(self, stages: Iterable[tuple[str, str]]) -> None:
        phases: dict[str, list[str]] = {}
        for agent_id, phase in stages:
            phases.setdefault(agent_id, []).append(phase)
        self.all = {agent_id: tuple(served) for agent_id, served in phases.items()}
        """Agent → all the phases it serves, in the order of the stages."""
        super().__init__((agent_id, served[0]) for agent_id, served in self.all.items())


@dataclass(frozen=True)
class ConversationPipeline:
    """Stages in order, checked at construction.

    >>> pipeline = ConversationPipeline([
    ...     PipelineStage("intake", "agent-triage", next="handling"),
    ...     PipelineStage("handling", "agent-handler"),
    ... ])
    >>> pipeline.get_allowed_transitions()
    {'intake': {'handling'}, 'handling': set()}
    """

    stages: Sequence[PipelineStage]
    default_phase: str | None = None
    """First phase of a conversation; None: the first stage."""
    supervisor_id: str | None = None
    rules: Sequence[RoutingRule] = field(default=(), repr=False)
    """Rules of the user's own, asked before those of the stages."""

    def __post_init__(self) -> None:
        phases = [stage.phase for stage in self.stages]
        known = set(phases)
        if len(known) < len(phases):
            twice = sorted({phase for phase in phases if phases.count(phase) > 1})
            raise ValueError(f"More than one stage for phase {', '.join(map(repr, twice))}.")
        for stage in self.stages:
            if stage.next is not None and stage.next not in known:
                raise ValueError(
                    f"Stage {stage.phase!r} names {stage.next!r} as next, which is no stage."
                )
            if strange := sorted(set(stage.can_return_to) - known):
                raise ValueError(
                    f"Stage {stage.phase!r} can return to {', '.join(map(repr, strange))}, "
                    "which is no stage."
                )
        if self.default_phase is not None and self.default_phase not in known:
            raise ValueError(f"The default phase {self.default_phase!r} is no stage.")

    @classmethod
    def from_definition(cls, definition: PipelineDefinition) -> ConversationPipeline:
        """The pipeline that a definition describes. A wrong definition raises `ValueError`."""
        stages = []
        for stage in definition.stages:
            ways = definition.transitions_from.get(stage.phase, ())
            onward = [way.target for way in ways if way.kind == "next"]
            if len(onward) > 1:
                raise ValueError(f"Stage {stage.phase!r} has more than one next stage.")
            back = frozenset(way.target for way in ways if way.kind == "return")
            stages.append(
                PipelineStage(stage.phase, stage.agent_id, onward[0] if onward else None, back)
            )
        return cls(
            stages,
            default_phase=definition.entry,
            supervisor_id=definition.supervisor_id,
            rules=definition_rules(definition),
        )

    def to_router(self) -> ConversationRouter:
        """A router: the user's rules, then for each stage the agent that serves it."""
        last = max((rule.priority for rule in self.rules), default=-1) + 1
        by_stage = (
            RoutingRule(
                stage.agent_id,
                RoutingConditions(phases={stage.phase}),
                priority=last,
                id=f"stage-{stage.phase}",
            )
            for stage in self.stages
            if stage.agent_id is not None
        )
        return ConversationRouter(
            rules=(*self.rules, *by_stage),
            default_agent_id=self._first_agent(),
            supervisor_id=self.supervisor_id,
        )

    def get_phase_map(self) -> PhaseMap:
        """Agent → its phase; where it serves several, the first, and `.all` has the others."""
        return PhaseMap(
            (stage.agent_id, stage.phase) for stage in self.stages if stage.agent_id is not None
        )

    def get_allowed_transitions(self) -> dict[str, set[str]]:
        """Phase → the phases it may go to: `next` and `can_return_to`."""
        return {
            stage.phase: {*((stage.next,) if stage.next else ()), *stage.can_return_to}
            for stage in self.stages
        }

    def _first_agent(self) -> str | None:
        for stage in self.stages:
            if self.default_phase in (None, stage.phase):
                return stage.agent_id
        return None


def definition_rules(definition: PipelineDefinition) -> tuple[RoutingRule, ...]:
    """The rules of a definition, their conditions compiled."""
    return tuple(
        RoutingRule(
            agent_id=rule.agent_id,
            conditions=RoutingConditions.from_definition(rule.conditions),
            priority=rule.priority,
            id=rule.id,
        )
        for rule in definition.rules
    )
