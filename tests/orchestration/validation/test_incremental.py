"""Incremental validation has the same result as full validation."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from orchestration.validation import ChangedParts, Inspection, validate
from tests.orchestration.sound_pipeline import sound
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


def test_an_unused_inspection_is_not_computed_for_its_successor() -> None:
    first = Inspection(sound())
    later = first.after(sound(entry=None), ChangedParts(settings={"entry"}))
    assert [issue.code for issue in later.issues][:1] == ["entry-missing"]
