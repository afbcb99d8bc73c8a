"""A pipeline of stages in code, and its router and phase map (contract O-11 and O-12)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from orchestration.definition import PipelineDefinition
from orchestration.names import names_of
from orchestration.routing.router import ConversationRouter, RoutingConditions, RoutingRule


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """A stage: its phase, its agent, the next stage and the stages to return to."""

    phase: str
    agent_id: str | None
    """None for a stage of the human, or if no agent is chosen yet."""
    next: str | None = None
    can_return_to: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        phases = frozenset(names_of(self.can_return_to, "can_return_to"))
        object.__setattr__(self, "can_return_to", phases)


class PhaseMap(dict[str, str]):
    """First phase of each agent; `all` contains all phases of each agent (contract O-12)."""

    def __init__(self, stages: Iterable[tuple[str, str]]) -> None:
        phases: dict[str, list[str]] = {}
        for agent_id, phase in stages:
            phases.setdefault(agent_id, []).append(phase)
        self.all = {agent_id: tuple(served) for agent_id, served in phases.items()}
        """All phases of each agent, in the order of the stages."""
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
    """Custom rules, evaluated before the rules of the stages."""

    def __post_init__(self) -> None:
        phases = [stage.phase for stage in self.stages]
        known = set(phases)
        if len(known) < len(phases):
            repeated = sorted({phase for phase in phases if phases.count(phase) > 1})
            raise ValueError(f"More than one stage for phase {', '.join(map(repr, repeated))}.")
        for stage in self.stages:
            if stage.next is not None and stage.next not in known:
                raise ValueError(
                    f"Stage {stage.phase!r} names {stage.next!r} as next, which does not exist."
                )
            if unknown := sorted(set(stage.can_return_to) - known):
                raise ValueError(
                    f"Stage {stage.phase!r} can return to {', '.join(map(repr, unknown))}, "
                    "which does not exist."
                )
        if self.default_phase is not None and self.default_phase not in known:
            raise ValueError(f"There is no stage for the default phase {self.default_phase!r}.")

    @classmethod
    def from_definition(cls, definition: PipelineDefinition) -> ConversationPipeline:
        """Create the pipeline of a definition. An invalid definition raises `ValueError`."""
        stages = []
        for stage in definition.stages:
            transitions = definition.transitions_from.get(stage.phase, ())
            following = [each.target for each in transitions if each.kind == "next"]
            if len(following) > 1:
                raise ValueError(f"Stage {stage.phase!r} has more than one next stage.")
            returns = frozenset(each.target for each in transitions if each.kind == "return")
            next_phase = following[0] if following else None
            stages.append(PipelineStage(stage.phase, stage.agent_id, next_phase, returns))
        return cls(
            stages,
            default_phase=definition.entry,
            supervisor_id=definition.supervisor_id,
            rules=definition_rules(definition),
        )

    def to_router(self) -> ConversationRouter:
        """Create a router with the custom rules, then one rule for the agent of each stage."""
        priority = max((rule.priority for rule in self.rules), default=-1) + 1
        by_stage = (
            RoutingRule(
                stage.agent_id,
                RoutingConditions(phases={stage.phase}),
                priority=priority,
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
        """Return the first phase of each agent; `.all` contains all of them."""
        return PhaseMap(
            (stage.agent_id, stage.phase) for stage in self.stages if stage.agent_id is not None
        )

    def get_allowed_transitions(self) -> dict[str, set[str]]:
        """Return the targets of each phase: `next` and `can_return_to`."""
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
    """Return the rules of a definition with compiled conditions."""
    return tuple(
        RoutingRule(
            agent_id=rule.agent_id,
            conditions=RoutingConditions.from_definition(rule.conditions),
            priority=rule.priority,
            id=rule.id,
        )
        for rule in definition.rules
    )
