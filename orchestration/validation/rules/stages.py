"""Rules about the entry, the stages and the transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, Step, delete_transition, setting
from orchestration.validation.issues import Issue, error, listed
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import one_transition, sketch


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


def _choose_entry(draft: Draft, _: Issue) -> Fix | None:
    """Begin at the first of the stages that nothing leads to, or of all of them.

    Where they stand does not count: who moves one hears nothing of the problems.
    """
    definition = draft.definition
    led_to = {way.target for way in definition.transitions}
    phases = [stage.phase for stage in definition.stages]
    firsts = [phase for phase in phases if phase not in led_to] or phases
    if not firsts:
        return None
    return Fix(f"Begin at {firsts[0]}", (("set", "$.entry", firsts[0]),))


def _add_agent(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    (phase,) = issue.where.keys
    key, number = f"agent-{phase}"[:60], 2
    while key in definition.agents_by_id:
        key, number = f"agent-{phase}"[:60] + f"-{number}", number + 1
    agent = {"id": key, "name": phase.replace("-", " ").replace("_", " ").capitalize()}
    served = {"agents": [key]} if issue.where.path.endswith(".group") else key
    steps: tuple[Step, ...] = (
        ("append", "$.agents", agent),
        ("set", issue.where.path, served),
    )
    return Fix("Add an agent", steps)


HELP: Mapping[str, RuleHelp] = {
    "stages-missing": RuleHelp(
        "Nothing is drawn yet",
        "A conversation is always in some stage. Where there is none, nobody can answer.",
        "Add a stage (key A, or double-click on the canvas), and choose the agent who serves it.",
        sketch(""),
    ),
    "entry-missing": RuleHelp(
        "No entry",
        "A conversation begins in the entry. Without one nobody knows who says the first word.",
        "Select nothing, and choose the entry in the pipeline's settings.",
        sketch("intake > review", entry=None),
        _choose_entry,
    ),
    "entry-unknown": RuleHelp(
        "The entry is no stage",
        "The entry names a stage that does not exist, so that no conversation can begin.",
        "Choose another entry in the pipeline's settings.",
        sketch("intake > review", entry="lobby"),
        _choose_entry,
    ),
    "stage-duplicate": RuleHelp(
        "Two stages with one phase",
        "Transitions, rules and the transcript know a stage by its phase. Two of the same name"
        " could not be told apart.",
        "Give each stage a phase of its own.",
        sketch("intake").model_copy(update={"stages": sketch("intake").stages * 2}),
    ),
    "stage-agentless": RuleHelp(
        "A stage that nobody serves",
        "A conversation that comes there would stop: there is nobody to answer.",
        "Choose an agent for the stage, name a new one, make it a group, or let a human serve it.",
        sketch("intake > review", stages={"review": {"agent_id": None}}),
        _add_agent,
    ),
    "stage-agent-unknown": RuleHelp(
        "A stage served by an agent that does not exist",
        "The stage names an agent that is not part of this pipeline, perhaps because it was"
        " deleted in the file.",
        "Choose another agent for the stage, or add the one that is missing.",
        sketch("intake > review", stages={"review": {"agent_id": "nobody"}}),
    ),
    "human-stage-agent": RuleHelp(
        "A human stage with an agent",
        "Where the human answers, no model is asked, so the agent named there would never speak.",
        "Leave the stage to the human, or make it a stage that an agent serves.",
        sketch("intake > desk", stages={"desk": {"kind": "human"}}),
        setting("Leave it to the human", None),
    ),
    "transition-unknown": RuleHelp(
        "A transition to or from nowhere",
        "It names a stage that does not exist, so that nobody can take it.",
        "Delete the transition, or add the stage.",
        sketch(
            "intake > review",
            transitions=[*one_transition(), *one_transition("return", target="attic")],
        ),
        delete_transition,
    ),
    "transition-duplicate": RuleHelp(
        "The same way twice",
        "From one stage to another there is one transition: a model that chooses a target would"
        " not know which of the two is meant.",
        "Keep one of them.",
        sketch("intake > review", transitions=[*one_transition(), *one_transition("return")]),
        delete_transition,
    ),
    "next-duplicate": RuleHelp(
        "More than one next",
        "A stage has one main way on. With two, a workflow or a group would not know which.",
        "Keep one as next, and make the others returns.",
        sketch(
            "intake > review, intake ~ reply",
            transitions=[*one_transition(), *one_transition(target="reply")],
        ),
        setting("Make it a return", "return"),
    ),
}
"""Help of the rules, by the code of the issue."""
