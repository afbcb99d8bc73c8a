"""Union of two definitions on one canvas."""

from __future__ import annotations

from designer.versions import DrawnDifference
from orchestration.definition import Agent, Layout, PipelineDefinition, Position, Stage, Transition


def pipeline(*ends: str, agents: str = "", **places: tuple[float, float]) -> PipelineDefinition:
    """Return a pipeline of the transitions `a>b`, its stages at the given places."""
    return PipelineDefinition(
        name="pipe",
        agents=(Agent(id="one", name="One", instructions=agents),),
        stages=tuple(Stage(phase=phase, agent_id="one") for phase in places),
        transitions=tuple(
            Transition(source=source, target=target)
            for source, target in (end.split(">") for end in ends)
        ),
        entry="a",
        layout=Layout(stages={phase: Position(x=x, y=y) for phase, (x, y) in places.items()}),
    )


A, B, C = (0.0, 0.0), (400.0, 0.0), (400.0, 200.0)


def test_added_and_removed_stages_are_on_one_canvas():
    drawn = DrawnDifference(pipeline(a=A, b=B), pipeline(a=A, c=C))
    cards = {card.card.phase: (card.mark, card.side) for card in drawn.cards}
    assert cards == {"a": ("", "both"), "b": ("removed", "before"), "c": ("added", "after")}
    assert [drawn.changes[card.change - 1].key for card in drawn.cards if card.change] == ["b", "c"]


def test_a_removed_stage_does_not_cover_a_later_one_at_its_place():
    drawn = DrawnDifference(pipeline(a=A, b=B), pipeline(a=A, c=B))
    ghost, card = drawn.boxes["b"], drawn.boxes["c"]
    assert ghost[1] >= card[3] or ghost[3] <= card[1] or ghost[0] >= card[2] or ghost[2] <= card[0]


def test_moved_stages_are_no_difference():
    drawn = DrawnDifference(pipeline("a>b", a=A, b=B), pipeline("a>b", a=A, b=C))
    assert not drawn.changes
    assert {card.mark for card in drawn.cards} == {""}
    assert [card.earlier for card in drawn.cards] == [None, None]
    assert drawn.boxes["b"][:2] == C


def test_a_transition_with_another_target_is_drawn_twice():
    before, after = pipeline("a>b", a=A, b=B, c=C), pipeline("a>c", a=A, b=B, c=C)
    drawn = DrawnDifference(before, after)
    ghost, line = drawn.lines
    assert (ghost.line.target, ghost.is_ghost) == ("b", True)
    assert (line.line.target, line.is_ghost) == ("c", False)
    assert ghost.mark == line.mark == "retargeted"
    assert ghost.change == line.change == 1


def test_a_card_counts_the_changes_of_its_agent_and_its_transitions():
    before = pipeline("a>b", a=A, b=B, c=C)
    after = pipeline("a>c", agents="Be brief.", a=A, b=B, c=C)
    cards = {card.card.phase: card for card in DrawnDifference(before, after).cards}
    assert {phase: card.count for phase, card in cards.items()} == {"a": 2, "b": 1, "c": 1}
    assert {card.mark for card in cards.values()} == {"changed"}


def test_stages_without_a_place_take_it_from_the_other_side():
    bare = pipeline(a=A, b=B, c=C).model_copy(update={"layout": Layout()})
    drawn = DrawnDifference(pipeline("a>b", a=A, b=B), bare)
    assert (drawn.boxes["a"][:2], drawn.boxes["b"][:2]) == (A, B)
    assert len(drawn.cards) == 3


def test_definitions_without_stages_have_a_drawing():
    empty = PipelineDefinition(name="none")
    assert DrawnDifference(empty, empty).bounds == (0.0, 0.0, 0.0, 0.0)
