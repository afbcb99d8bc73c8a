"""Rows of the table of changes."""

from __future__ import annotations

import pytest

from designer.versions import DrawnDifference
from designer.versions.change_rows import ChangeRow, change_groups, marked_text, text_runs
from orchestration.definition import PipelineDefinition
from orchestration.difference import ABSENT
from tests.designer.versions.drawing.test_comparison import A, B, C, pipeline


def rows(before: PipelineDefinition, after: PipelineDefinition) -> dict[str, list[ChangeRow]]:
    groups = change_groups(DrawnDifference(before, after).changes)
    return {group.title: list(group.rows) for group in groups}


def test_rows_are_numbered_through_all_groups():
    found = rows(pipeline("a>b", a=A, b=B), pipeline("a>c", agents="Brief.", a=A, c=C))
    assert list(found) == ["Stages", "Transitions", "Agents"]
    assert [row.number for group in found.values() for row in group] == [1, 2, 3, 4]


def test_each_row_has_a_word_a_sign_and_a_detail():
    found = rows(pipeline("a>b", a=A, b=B, c=C), pipeline("a>c", agents="Brief.", a=A, b=B, c=C))
    [transition], [agent] = found["Transitions"], found["Agents"]
    assert (transition.word, transition.title, transition.detail) == (
        "leads elsewhere",
        "a → b",
        "now to c",
    )
    assert (agent.word, agent.title, agent.detail) == ("changed", "One", "instructions")
    assert agent.symbol != transition.symbol


def test_texts_are_compared_word_by_word_and_escaped():
    runs = text_runs("say <yes> and wait for it", "say <no> and wait for it")
    assert marked_text(runs) == ("say &lt;<del>yes</del><ins>no</ins>&gt; and wait for it")


@pytest.mark.parametrize(
    ("before", "after", "html"),
    [
        (ABSENT, "new", "<ins>new</ins>"),
        ("old", ABSENT, "<del>old</del>"),
        (1, None, "<del>1</del><ins>null</ins>"),
    ],
)
def test_missing_and_other_values_are_shown_as_json(before, after, html):
    assert marked_text(text_runs(before, after)) == html


def test_an_added_part_lists_its_values_without_defaults():
    [row] = rows(pipeline(a=A), pipeline(a=A, b=B))["Stages"]
    assert [value.path for value in row.values] == ["phase", "agent_id"]
    assert row.detail == "served by one"


def test_a_removed_stage_names_its_agent():
    before, after = pipeline(a=A, b=B), pipeline(a=A)
    [group] = change_groups(DrawnDifference(before, after).changes, {"one": "Duty manager"})
    assert group.rows[0].detail == "served by Duty manager"
