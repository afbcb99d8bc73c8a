"""Rules about the ways through the pipeline: what can be reached, and what can be left."""

from __future__ import annotations

from collections.abc import Iterator

from orchestration import graph
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, listed, warning


def stage_unreachable(draft: Draft) -> Iterator[Issue]:
    """Every stage can be reached: from the entry, or from where routing puts its agents.

    An agent that a routing rule picks (or that answers where no rule does) enters its own stage.
    """
    if draft.entry is None:
        return
    chosen = (phase for agent_id in draft.roving for phase in draft.phases_of.get(agent_id, ()))
    cut_off = draft.graph.nodes - graph.reachable(draft.graph, {draft.entry, *chosen})
    if cut_off:
        yield _about_stages(
            draft,
            "stage-unreachable",
            cut_off,
            "Neither the entry {entry!r} nor a routing rule leads to the stage {phases}.",
            "Neither the entry {entry!r} nor a routing rule leads to the stages {phases}.",
        )


def loop_closed(draft: Draft) -> Iterator[Issue]:
    """Something leads out of every loop, or a human answers in it.

    Loops are normal in conversations (a reviewer sends work back); only those that never end are
    worth a word. A stage that leads only to itself is one of them.
    """
    for loop in draft.closed_loops:
        yield _about_stages(
            draft,
            "loop-closed",
            set(loop),
            "The stage {phases} leads only to itself, so that a conversation in it never ends.",
            "Nothing leads out of the loop of {phases}, so that a conversation in it never ends.",
        )


def dead_end(draft: Draft) -> Iterator[Issue]:
    """From every stage an end can be reached: a stage with no way on, or one the human serves.

    A stage with no way on is itself an end, so a dead end is one that has ways on, all of which
    lead into closed loops. The loops themselves are `loop-closed`.
    """
    looping = {phase for loop in draft.closed_loops for phase in loop}
    lost = draft.graph.nodes - graph.leading_to(draft.graph, draft.ends) - looping
    if lost:
        yield _about_stages(
            draft,
            "dead-end",
            lost,
            "From the stage {phases} no end can be reached: every way on leads into a loop.",
            "From the stages {phases} no end can be reached: every way on leads into a loop.",
        )


def max_handoffs_low(draft: Draft) -> Iterator[Issue]:
    """One run may make the handoffs that the shortest way from the entry to an end takes."""
    if draft.entry is None:
        return
    needed = graph.handoffs_to(draft.graph, draft.entry, draft.ends)
    allowed = draft.definition.limits.max_handoffs
    if needed is not None and needed > allowed:
        yield warning(
            "max-handoffs-low",
            f"The shortest way from {draft.entry!r} to an end takes {needed} handoffs,"
            f" and a run may make {allowed}.",
            "pipeline",
            (),
            "$.limits.max_handoffs",
        )


def _about_stages(draft: Draft, code: str, phases: set[str], one: str, several: str) -> Issue:
    """A warning about stages, which points to the first of them in canonical order."""
    named = tuple(sorted(phases))
    index = next(
        index for index, stage in enumerate(draft.definition.stages) if stage.phase == named[0]
    )
    sentence = one if len(named) == 1 else several
    message = sentence.format(phases=listed(named), entry=draft.entry)
    return warning(code, message, "stage", named, f"$.stages[{index}]")
