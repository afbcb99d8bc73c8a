"""Handoff targets for people: the allowed ones and all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from designer.core import natural_key
from designer.models import Conversation
from designer.rehearsal.fragments.names import Names, Speaker
from orchestration.conversation import CompiledPipeline, ReducedState
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.handoff import HandoffResult
from orchestration.runtime import Engine, EngineSettings
from orchestration.state import ConversationState


@dataclass(frozen=True, slots=True)
class Target:
    """Agent in a stage, or the human."""

    value: str
    """Target in the command: the stage, or `human`."""
    speaker: Speaker
    phase: str
    why: str = ""
    """Reason for a refusal by the handoff check; empty if it accepts the target."""


def targets_context(conversation: Conversation, *, back: bool = False) -> dict[str, Any]:
    """Return the handoff targets; with `back`, all agents, for a handoff by the human."""
    definition = conversation.snapshot()
    reduced = _reduced(conversation, definition)
    state = reduced.state
    targets = list(_targets(definition, state))
    if back:
        agents = [
            target for target in targets if target.value != HUMAN and target.speaker.name != "Human"
        ]
        last = _phase_before_human(conversation)
        agents.sort(key=lambda target: target.phase != last)
        return {"allowed": agents, "others": [], "is_back": True}
    if reduced.run is None and not CompiledPipeline.of(definition).sticky:
        humans = [target for target in targets if target.value == HUMAN]
        return {"phase": state.phase, "allowed": humans, "others": [], "begins_at_entry": True}
    return {
        "phase": state.phase,
        "allowed": [target for target in targets if not target.why],
        "others": [target for target in targets if target.why],
    }


def _reduced(conversation: Conversation, definition: PipelineDefinition) -> ReducedState:
    engine = Engine(
        definition,
        conversation.events(),
        session_id=conversation.session_id,
        settings=EngineSettings(providers={}, pipelines=conversation.pipeline_for),
    )
    return engine.conversation


def _targets(definition: PipelineDefinition, state: ConversationState) -> Iterator[Target]:
    pipeline = CompiledPipeline.of(definition)
    handoffs = pipeline.handoffs
    names = Names.of(definition)
    stages = [stage.phase for stage in definition.stages if stage.kind != "human"]
    for phase in sorted(stages, key=natural_key):
        speaker = names.stage_speaker(phase)
        if phase == state.phase and not state.with_human:
            continue
        why = _why(handoffs.judge(phase, None, state), names)
        if not why and pipeline.payload_errors(state.phase, phase, {}):
            why = "It needs a payload, which only a call of the agent has."
        yield Target(phase, speaker, phase, why)
    if not state.with_human:
        result = handoffs.judge(HUMAN, None, state)
        yield Target(HUMAN, names.speaker(None), "", _why(result, names))


def _why(result: HandoffResult, names: Names) -> str:
    """Return the first sentence of a refusal; the page lists the allowed targets anyway."""
    if result.accepted:
        return ""
    return names.replace_ids(result.why).partition(". ")[0].rstrip(".") + "."


def _phase_before_human(conversation: Conversation) -> str:
    """Return the phase of the last handoff to the human."""
    rows = conversation.recorded_events.filter(type="handoff.accepted", body__to_agent=None)
    phase: str = rows.order_by("-seq").values_list("body__from_phase", flat=True).first() or ""
    return phase
