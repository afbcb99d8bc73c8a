"""What the rules find where they look again is what they find where they look at all of it."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from orchestration.validation import ChangedParts, Inspection, validate
from tests.orchestration.sound_pipeline import sound
from tests.orchestration.validation.changed_definitions import changed, some_definition


@given(st.randoms(use_true_random=False))
def test_looking_again_finds_what_looking_at_everything_does(random: Random) -> None:
    definition = some_definition(random)
    inspection = Inspection(definition)
    assert inspection.issues == validate(definition)
    for _ in range(6):
        definition, touched = changed(definition, random)
        inspection = inspection.after(definition, touched)
        assert inspection.issues == validate(definition)


def test_an_inspection_that_nobody_asked_is_not_made_for_the_one_after_it() -> None:
    first = Inspection(sound())
    later = first.after(sound(entry=None), ChangedParts(settings={"entry"}))
    assert [issue.code for issue in later.issues][:1] == ["entry-missing"]
