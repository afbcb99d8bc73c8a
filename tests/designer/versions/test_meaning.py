"""The panel "What it means"."""

from __future__ import annotations

from designer.versions.meaning import MAX_LISTED, meaning_of
from orchestration.definition import PipelineDefinition
from orchestration.difference import Effect, effect
from tests.designer.versions.drawing.test_comparison import A, B, C, pipeline


def test_paths_stages_problems_and_tools_are_listed():
    before = pipeline("a>b", "b>c", a=A, b=B, c=C)
    after = pipeline("a>c", a=A, b=B, c=C)
    meaning = meaning_of(effect(before, after))
    assert (meaning.gained, meaning.lost) == (1, 1)
    assert ("+", ("a", "c")) in meaning.paths
    assert "No conversation reaches b any more." in meaning.sentences
    assert "The shortest path to an end has 1 handoff instead of 2." in meaning.sentences
    assert any("b" in issue.message for issue in meaning.new_issues)


def test_the_handoff_tools_are_shown_as_the_model_gets_them():
    two = pipeline("a>b", a=A, b=B)
    agent = two.agents[0].model_copy(update={"id": "two", "name": "Two"})
    stages = (two.stages[0], two.stages[1].model_copy(update={"agent_id": "two"}))
    before = two.model_copy(update={"agents": (*two.agents, agent), "stages": stages})
    before = PipelineDefinition.model_validate(before.model_dump())
    after = before.model_copy(update={"transitions": ()})
    [row] = meaning_of(effect(before, PipelineDefinition.model_validate(after.model_dump()))).tools
    assert row.phase == "a"
    assert "two" in row.text
    assert "<del>" in row.text


def test_a_path_to_the_human_appears_and_disappears():
    path = ("a", "human")
    assert meaning_of(Effect(to_human=(None, path))).sentences == (
        "A path now leads to the human: a → human.",
    )
    assert meaning_of(Effect(to_human=(path, None))).sentences == (
        "No path leads to the human any more.",
    )


def test_further_paths_are_counted():
    paths = tuple(("a", str(number)) for number in range(MAX_LISTED + 3))
    meaning = meaning_of(Effect(paths_gained=paths))
    assert (len(meaning.paths), meaning.more_paths) == (MAX_LISTED, 3)


def test_without_consequences_the_panel_is_empty():
    assert meaning_of(Effect()).is_empty
