"""Handoff targets for people: the allowed ones, and all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from designer.models import Conversation
from designer.rehearsal.fragments.names import Names, Speaker
from orchestration.conversation import Blueprint
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.events import InputRequested
from orchestration.handoff import HandoffResult
from orchestration.runtime import Session
from orchestration.state import ConversationState


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody in a stage who could take it."""

    value: str
    """Target in the command: the stage, or `human`."""
    speaker: Speaker
    phase: str
    why: str = ""
    """Why the check would refuse it; empty: it would not."""


def targets_context(conversation: Conversation, *, back: bool = False) -> dict[str, Any]:
    """Return the handoff targets; with `back` those from the human, which are all."""
    definition = conversation.rehearsed()
    state = _state(conversation, definition)
    found = list(_targets(definition, state))
    if back:
        agents = [one for one in found if one.value != HUMAN and one.speaker.name != "Human"]
        last = _gave_it(conversation)
        agents.sort(key=lambda one: one.phase != last)
        return {"allowed": agents, "others": [], "is_back": True}
    return {
        "phase": state.phase,
        "allowed": [one for one in found if not one.why],
        "others": [one for one in found if one.why],
    }


def _state(conversation: Conversation, definition: PipelineDefinition) -> ConversationState:
    session = Session(
        definition,
        conversation.events(),
        session_id=conversation.session_id,
        providers={},
        ask_user=_later,
        pipelines=conversation.pipeline_for,
    )
    return session.state


async def _later(_: InputRequested) -> None:
    """The user answers with the next message."""


def _targets(definition: PipelineDefinition, state: ConversationState) -> Iterator[Target]:
    handoffs = Blueprint.of(definition).handoffs
    names = Names.of(definition)
    stages = [stage.phase for stage in definition.stages if stage.kind != "human"]
    for phase in stages:
        speaker = names.serving(phase)
        if phase == state.phase and not state.with_human:
            continue
        result = handoffs.judge(phase, None, state)
        yield Target(phase, speaker, phase, _why(result, names))
    if not state.with_human:
        result = handoffs.judge(HUMAN, None, state)
        yield Target(HUMAN, names.speaker(None), "", _why(result, names))


def _why(result: HandoffResult, names: Names) -> str:
    """The first sentence of a refusal: what else is allowed stands in the list above."""
    if result.accepted:
        return ""
    return names.called(result.why).partition(". ")[0].rstrip(".") + "."


def _gave_it(conversation: Conversation) -> str:
    """The phase from which the conversation came to the human last."""
    rows = conversation.recorded_events.filter(type="handoff.accepted", body__to_agent=None)
    phase: str = rows.order_by("-seq").values_list("body__from_phase", flat=True).first() or ""
    return phase
