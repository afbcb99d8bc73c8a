"""Incremental validation has the same result as full validation."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from orchestration.validation import ChangedParts, Inspection, validate
from tests.orchestration.sound_pipeline import sound, with_cue
from tests.orchestration.validation.changed_definitions import changed, some_definition


@given(st.randoms(use_true_random=False))
def test_an_incremental_result_equals_a_full_validation(random: Random) -> None:
    definition = some_definition(random)
    inspection = Inspection(definition)
    assert inspection.issues == validate(definition)
    for _ in range(6):
        definition, touched = changed(definition, random)
        inspection = inspection.after(definition, touched)
        assert inspection.issues == validate(definition)


def test_the_cues_that_name_a_renamed_agent_are_checked_again() -> None:
    """Contract D-8: a cue may have the name of its target, or a slug of it."""
    definition = with_cue("triage", hand_over={"target": "work-desk"})
    inspection = Inspection(definition)
    assert [issue.code for issue in inspection.issues] == ["cue-target-unknown"]
    agents = tuple(
        agent.model_copy(update={"name": "Work Desk"}) if agent.id == "handler" else agent
        for agent in definition.agents
    )
    renamed = definition.model_copy(update={"agents": agents})
    assert inspection.after(renamed, ChangedParts(agents={"handler"})).issues == ()


def test_an_unused_inspection_is_not_computed_for_its_successor() -> None:
    first = Inspection(sound())
    later = first.after(sound(entry=None), ChangedParts(settings={"entry"}))
    assert [issue.code for issue in later.issues][:1] == ["entry-missing"]
