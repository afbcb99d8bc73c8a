"""Rules about loops: cycles without an end, and stages that only lead into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import setting
from orchestration.validation.issues import Issue, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def loop_endless(draft: Draft) -> Iterator[Issue]:
    """Require automatic transitions to lead to an end."""
    for loop in draft.endless_loops:
        yield about_stages(
            draft,
            "error",
            "loop-endless",
            set(loop),
            "The stage {phases} follows itself, so a run never ends:"
            " delete the transition to itself.",
            "The stages {phases} follow one another in a cycle, so a run never ends:"
            " delete one of the transitions between them.",
        )


def loop_closed(draft: Draft) -> Iterator[Issue]:
    """Require a transition out of each loop, or a human in it.

    Loops are normal in conversations (a reviewer sends work back); only loops without an end are
    reported, including a stage that leads only to itself. In a swarm every agent may end the
    conversation. An automatic loop is `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    endless = frozenset(draft.endless_loops)
    for loop in draft.closed_loops:
        if loop in endless:
            continue
        yield about_stages(
            draft,
            "warning",
            "loop-closed",
            set(loop),
            "The stage {phases} leads only to itself, so a conversation in it never ends.",
            "No transition leads out of the loop of {phases}, so a conversation in it never ends.",
        )


def dead_end(draft: Draft) -> Iterator[Issue]:
    """Require every stage to reach an end: a terminal stage, or a stage of the human.

    All transitions from a dead end lead into closed loops. The loops themselves are `loop-closed`
    or `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    looping = {phase for loop in draft.closed_loops for phase in loop}
    lost = draft.stages_without_end - looping
    if lost:
        yield about_stages(
            draft,
            "warning",
            "dead-end",
            lost,
            "From the stage {phases} no end can be reached: every transition leads into a loop.",
            "From the stages {phases} no end can be reached: every transition leads into a loop.",
        )


def ping_pong(draft: Draft) -> Iterator[Issue]:
    """Forbid pairs of stages that name each other as next.

    A return sends work back. A pair without a transition out of it is `loop-closed`, and an
    automatic one `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    following = {
        transition.source: (transition.target, index)
        for index, transition in enumerate(draft.definition.transitions)
        if transition.kind == "next" and transition.target in draft.definition.stages_by_phase
    }
    looping = {phase for loop in (*draft.closed_loops, *draft.endless_loops) for phase in loop}
    for source, (target, _) in following.items():
        back, index = following.get(target, ("", 0))
        if back == source and source < target and not looping.intersection((source, target)):
            first, second = _in_order(draft, source, target)
            if second == source:
                index = following[source][1]
            yield warning(
                "ping-pong",
                f"The stages {first!r} and {second!r} name each other as next, so the main path"
                f" goes back and forth: make the transition from {second!r} to {first!r} a return.",
                "transition",
                (second, first),
                f"$.transitions[{index}].kind",
            )


def _in_order(draft: Draft, phase: str, other: str) -> tuple[str, str]:
    """Return two phases, first the one nearer to the entry."""
    distances = draft.distances
    far = len(distances)
    is_nearer = distances.get(phase, far) <= distances.get(other, far)
    return (phase, other) if is_nearer else (other, phase)


HELP: Mapping[str, RuleHelp] = {
    "loop-endless": RuleHelp(
        "A cycle that never ends",
        "These stages follow one another automatically. A run that reaches them would never end.",
        "Delete one of the transitions in the cycle.",
        sketch("write > check, check > write", topology="workflow"),
    ),
    "loop-closed": RuleHelp(
        "A loop without a transition out of it",
        "A conversation in it never reaches an end or a human. Other loops are fine: a reviewer"
        " sends work back.",
        "Draw a transition out of the loop from one of its stages.",
        sketch("intake > review, review > intake"),
    ),
    "dead-end": RuleHelp(
        "No end can be reached",
        "Every transition leads into a loop without a transition out of it.",
        "Draw a transition out of the loop, or to another stage.",
        sketch("intake > write, write > check, check > write"),
    ),
    "ping-pong": RuleHelp(
        "Two stages that name each other as next",
        "The main path goes back and forth, although both lead to other stages too. Models follow"
        " the main path and would hand over until the limit is reached.",
        "Make the transition back a return.",
        sketch("intake > review, review > intake, review ~ reply"),
        setting("Make it a return", "return"),
    ),
}
"""Help of the rules, by the code of the issue."""
