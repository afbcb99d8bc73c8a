"""Rules about the entry, the stages and the transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import (
    Fix,
    Step,
    agent_names,
    delete_transition,
    pointing,
    setting,
)
from orchestration.validation.issues import Issue, error, listed
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import one_transition, sketch


def stages_missing(draft: Draft) -> Iterator[Issue]:
    """Require at least one stage."""
    if not draft.definition.stages:
        yield error(
            "stages-missing",
            "The pipeline has no stages yet: add one and choose its agent.",
            "pipeline",
            (),
            "$.stages",
        )


def entry_missing(draft: Draft) -> Iterator[Issue]:
    """Require a pipeline with stages to have an entry."""
    if draft.definition.stages and draft.definition.entry is None:
        yield error(
            "entry-missing",
            "No stage is the entry: choose the stage where conversations begin.",
            "pipeline",
            (),
            "$.entry",
        )


def entry_unknown(draft: Draft) -> Iterator[Issue]:
    """Require the entry to be a stage."""
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
    """Require unique phases."""
    seen: set[str] = set()
    for index, stage in draft.stages:
        if stage.phase in seen:
            yield error(
                "stage-duplicate",
                f"More than one stage has the name {stage.phase!r}: give each its own.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].phase",
            )
        seen.add(stage.phase)


def stage_agentless(draft: Draft) -> Iterator[Issue]:
    """Require an agent, a group or the human for every stage."""
    for index, stage in draft.stages:
        if stage.kind != "human" and not stage.agent_ids:
            lack = "no members: add one" if stage.kind == "group" else "no agent: choose one"
            yield error(
                "stage-agentless",
                f"The stage {stage.phase!r} has {lack}.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].{'group' if stage.kind == 'group' else 'agent_id'}",
            )


def stage_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """Require the agent of a stage to be an agent of the pipeline."""
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
    """Require human stages to have no agent."""
    for index, stage in draft.stages:
        if stage.kind == "human" and stage.agent_id is not None:
            yield error(
                "human-stage-agent",
                f"The human serves the stage {stage.phase!r}, so it cannot also have"
                f" the agent {draft.agent_label(stage.agent_id)!r}: remove the agent.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].agent_id",
            )


def transition_unknown(draft: Draft) -> Iterator[Issue]:
    """Require transitions between existing stages (contract O-11)."""
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
    """Require at most one transition from one stage to another."""
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
    """Require at most one `next` per stage; the other transitions are returns."""
    targets: dict[str, dict[str, int]] = {}
    for index, transition in draft.transitions:
        if transition.kind == "next":
            targets.setdefault(transition.source, {}).setdefault(transition.target, index)
    for source, indexes in targets.items():
        if len(indexes) > 1:
            yield error(
                "next-duplicate",
                f"The stage {source!r} has {len(indexes)} next stages, {listed(indexes)}:"
                " keep one as next, and make the others returns.",
                "stage",
                (source,),
                f"$.transitions[{list(indexes.values())[1]}].kind",
            )


def _choose_entry(draft: Draft, _: Issue) -> Fix | None:
    """Choose the first stage without an incoming transition, else the first stage.

    The layout is not considered: a moved stage must not change the problems.
    """
    definition = draft.definition
    targets = {transition.target for transition in definition.transitions}
    phases = [stage.phase for stage in definition.stages]
    starts = [phase for phase in phases if phase not in targets] or phases
    if not starts:
        return None
    return Fix(f"Begin at {starts[0]}", (("set", "$.entry", starts[0]),))


def _add_agent(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    (phase,) = issue.where.keys
    key, number = f"agent-{phase}"[:60], 2
    while key in definition.agents_by_id:
        key, number = f"agent-{phase}"[:60] + f"-{number}", number + 1
    agent = {"id": key, "name": phase.replace("-", " ").replace("_", " ").capitalize()}
    value = {"agents": [key]} if issue.where.path.endswith(".group") else key
    steps: tuple[Step, ...] = (
        ("append", "$.agents", agent),
        ("set", issue.where.path, value),
    )
    return Fix("Add an agent", steps)


HELP: Mapping[str, RuleHelp] = {
    "stages-missing": RuleHelp(
        "No stages yet",
        "A conversation is always in a stage. Without stages there are no answers.",
        "Add a stage (key A, or double-click on the canvas), and choose its agent.",
        sketch(""),
    ),
    "entry-missing": RuleHelp(
        "No entry",
        "A conversation begins in the entry. Without an entry it cannot begin.",
        "Clear the selection, and choose the entry in the pipeline's settings.",
        sketch("intake > review", entry=None),
        _choose_entry,
    ),
    "entry-unknown": RuleHelp(
        "An unknown entry",
        "The entry is a stage that does not exist, so no conversation can begin.",
        "Choose another entry in the pipeline's settings.",
        sketch("intake > review", entry="lobby"),
        _choose_entry,
    ),
    "stage-duplicate": RuleHelp(
        "Two stages with one phase",
        "Transitions, rules and the transcript refer to a stage by its name. Two stages with the"
        " same name cannot be distinguished.",
        "Give each stage its own phase.",
        sketch("intake").model_copy(update={"stages": sketch("intake").stages * 2}),
    ),
    "stage-agentless": RuleHelp(
        "A stage without an agent",
        "A conversation that reaches it would stop without an answer.",
        "Choose or add an agent for the stage, or make it a group or a human stage.",
        sketch("intake > review", stages={"review": {"agent_id": None}}),
        _add_agent,
        can_fix_all=True,
    ),
    "stage-agent-unknown": RuleHelp(
        "A stage with an unknown agent",
        "The agent of the stage is not part of this pipeline; perhaps it was deleted in the file.",
        "Choose another agent for the stage, or add the missing one.",
        sketch("intake > review", stages={"review": {"agent_id": "unknown"}}),
        pointing(agent_names),
    ),
    "human-stage-agent": RuleHelp(
        "A human stage with an agent",
        "In a human stage no model is called, so its agent would never answer.",
        "Remove the agent, or make it an agent stage.",
        sketch("intake > desk", stages={"desk": {"kind": "human"}}),
        setting("Remove the agent", None),
    ),
    "transition-unknown": RuleHelp(
        "A transition with an unknown stage",
        "One of its stages does not exist, so it can never be taken.",
        "Delete the transition, or add the stage.",
        sketch(
            "intake > review",
            transitions=[*one_transition(), *one_transition("return", target="attic")],
        ),
        delete_transition,
    ),
    "transition-duplicate": RuleHelp(
        "The same transition twice",
        "There is at most one transition from one stage to another: a model chooses a target, not a"
        " transition.",
        "Keep one of them.",
        sketch("intake > review", transitions=[*one_transition(), *one_transition("return")]),
        delete_transition,
    ),
    "next-duplicate": RuleHelp(
        "More than one next",
        "A stage has at most one next. With two, a workflow or a group could not choose.",
        "Keep one as next, and make the others returns.",
        sketch(
            "intake > review, intake ~ reply",
            transitions=[*one_transition(), *one_transition(target="reply")],
        ),
        setting("Make it a return", "return"),
    ),
}
"""Help of the rules, by the code of the issue."""
