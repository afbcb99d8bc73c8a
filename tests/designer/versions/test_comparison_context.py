"""Context of the view of a difference."""

from __future__ import annotations

from typing import Any

import pytest

from designer.versions.comparison_context import MAX_STAGES_AT_ONCE, difference_context
from orchestration.definition import PipelineDefinition
from orchestration.difference import Difference
from tests.designer.editor_requests import chain

SMALL = chain("intake", "review")
LARGE = chain(*(f"stage-{number}" for number in range(MAX_STAGES_AT_ONCE + 1)))
ADDRESS = "/difference/meaning/"


def instructed(definition: PipelineDefinition) -> PipelineDefinition:
    """Return the definition with other instructions of its first agent."""
    first, *others = definition.agents
    agents = (first.model_copy(update={"instructions": "Be brief."}), *others)
    return definition.model_copy(update={"agents": agents})


def context(before: PipelineDefinition, after: PipelineDefinition, **options: Any) -> Any:
    return difference_context(before, after, titles=("v1", "Draft"), **options)


def test_sides_that_behave_the_same_have_no_changes_and_no_meaning():
    shown = context(SMALL, SMALL, meaning_address=ADDRESS)
    assert (shown["before_title"], shown["after_title"]) == ("v1", "Draft")
    assert (shown["change_count"], shown["groups"], shown["meaning"]) == (0, [], None)
    assert shown["meaning_address"] == ""


@pytest.mark.parametrize(
    ("definition", "address", "loaded_from"),
    [(SMALL, ADDRESS, ""), (LARGE, "", ""), (LARGE, ADDRESS, ADDRESS)],
)
def test_the_consequences_of_large_differences_are_loaded_later(definition, address, loaded_from):
    counted: list[Difference] = []
    shown = context(
        definition,
        instructed(definition),
        usage=counted.append,
        meaning_address=address,
    )
    assert (shown["change_count"], shown["meaning_address"]) == (1, loaded_from)
    assert (shown["meaning"] is None) is bool(loaded_from)
    assert [len(found.changes) for found in counted] == ([] if loaded_from else [1])


def test_the_agent_of_a_removed_stage_is_shown_by_its_later_name():
    intake, review = SMALL.agents
    renamed = review.model_copy(update={"name": "Second reader"})
    after = chain("intake").model_copy(update={"agents": (intake, renamed)})
    groups = {group.title: group for group in context(SMALL, after)["groups"]}
    assert [row.detail for row in groups["Stages"].rows] == ["served by Second reader"]
