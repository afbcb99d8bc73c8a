"""Rules about the entry, the stages and the transitions."""

from __future__ import annotations

from collections.abc import Iterator

from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, error, listed


def stages_missing(draft: Draft) -> Iterator[Issue]:
    """A pipeline without stages cannot answer anybody."""
    if not draft.definition.stages:
        yield error(
            "stages-missing",
            "The pipeline has no stages yet: add one and choose the agent who serves it.",
            "pipeline",
            (),
            "$.stages",
        )


def entry_missing(draft: Draft) -> Iterator[Issue]:
    """Require a pipeline with stages to have an entry."""
    if draft.definition.stages and draft.definition.entry is None:
        yield error(
            "entry-missing",
            "No stage is the entry: choose the one in which conversations begin.",
            "pipeline",
            (),
            "$.entry",
        )


def entry_unknown(draft: Draft) -> Iterator[Issue]:
    """The entry names a stage."""
    entry = draft.definition.entry
    if entry is not None and draft.entry is None:
        yield error(
            "entry-unknown",
            f"The entry is {entry!r}, and there is no such stage.",
            "pipeline",
            (),
            "$.entry",
        )


def stage_duplicate(draft: Draft) -> Iterator[Issue]:
    """A phase belongs to one stage."""
    seen: set[str] = set()
    for index, stage in draft.stages:
        if stage.phase in seen:
            yield error(
                "stage-duplicate",
                f"More than one stage has the phase {stage.phase!r}: give each its own.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].phase",
            )
        seen.add(stage.phase)


def stage_agentless(draft: Draft) -> Iterator[Issue]:
    """Somebody serves every stage."""
    for index, stage in draft.stages:
        if stage.kind != "human" and not stage.agent_ids:
            yield error(
                "stage-agentless",
                f"Nobody serves the stage {stage.phase!r}: choose an agent for it.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].{'group' if stage.kind == 'group' else 'agent_id'}",
            )


def stage_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """A stage is served by an agent of this pipeline."""
    known = draft.definition.agents_by_id
    for index, stage in draft.stages:
        if stage.kind == "agent" and stage.agent_id is not None and stage.agent_id not in known:
            yield error(
                "stage-agent-unknown",
                f"The stage {stage.phase!r} is served by {stage.agent_id!r},"
                " and there is no such agent.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].agent_id",
            )


def human_stage_agent(draft: Draft) -> Iterator[Issue]:
    """The human serves a human stage, and no agent does."""
    for index, stage in draft.stages:
        if stage.kind == "human" and stage.agent_id is not None:
            yield error(
                "human-stage-agent",
                f"The human serves the stage {stage.phase!r}, so that it cannot have"
                f" the agent {draft.called(stage.agent_id)!r} as well.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].agent_id",
            )


def transition_unknown(draft: Draft) -> Iterator[Issue]:
    """`next` and `can_return_to` name stages (contract O-11)."""
    known = draft.definition.stages_by_phase
    for index, transition in draft.transitions:
        for side in ("source", "target"):
            phase = getattr(transition, side)
            if phase not in known:
                yield error(
                    "transition-unknown",
                    f"The transition from {transition.source!r} to {transition.target!r}"
                    f" names {phase!r}, and there is no such stage.",
                    "transition",
                    (transition.source, transition.target),
                    f"$.transitions[{index}].{side}",
                )


def transition_duplicate(draft: Draft) -> Iterator[Issue]:
    """One transition at most leads from one stage to another."""
    seen: set[tuple[str, str]] = set()
    for index, transition in draft.transitions:
        ends = (transition.source, transition.target)
        if ends in seen:
            yield error(
                "transition-duplicate",
                f"More than one transition leads from {transition.source!r}"
                f" to {transition.target!r}: keep one.",
                "transition",
                ends,
                f"$.transitions[{index}]",
            )
        seen.add(ends)


def next_duplicate(draft: Draft) -> Iterator[Issue]:
    """A stage has one `next` at most; other ways on are returns."""
    targets: dict[str, dict[str, int]] = {}
    for index, transition in draft.transitions:
        if transition.kind == "next":
            targets.setdefault(transition.source, {}).setdefault(transition.target, index)
    for source, places in targets.items():
        if len(places) > 1:
            yield error(
                "next-duplicate",
                f"The stage {source!r} has {len(places)} next stages, {listed(places)}:"
                " keep one as next, and let the others be returns.",
                "stage",
                (source,),
                f"$.transitions[{list(places.values())[1]}].kind",
            )
