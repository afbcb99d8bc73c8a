"""Round trips: a definition is exported, read back and compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from orchestration.definition import Agent, PipelineDefinition
from orchestration.exceptions import UnknownNameError
from orchestration.interchange import FORMATS, Import, Support, format_named, read, round_trip
from orchestration.loading import load
from tests.orchestration.interchange.round_trips import packed
from tests.orchestration.sound_pipeline import sound
from tests.orchestration.strategies import storable_definitions

BATON = format_named("baton")
SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))
BOTH = [each for each in FORMATS if each.read is not None and each.write is not None]


@pytest.mark.parametrize("chosen", BOTH, ids=lambda each: each.key)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_the_round_trip_of_a_sample_is_proved(chosen, sample):
    trip = round_trip(load(sample.read_bytes()), chosen)
    assert trip.unexplained == ()
    assert trip.is_proved


@pytest.mark.parametrize("chosen", BOTH, ids=lambda each: each.key)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_a_round_trip_has_the_result_of_an_import_of_the_archive(chosen, sample):
    definition = load(sample.read_bytes())
    imported = read(packed(chosen.export(definition).files))
    assert round_trip(definition, chosen).definition == imported.definition


def reading(**changes):
    """Return Baton JSON, read with other values of some fields."""

    def altered(text: str) -> Import:
        result = read(text, "baton")
        return replace(result, definition=result.definition.model_copy(update=changes))

    return altered


def test_a_round_trip_without_a_change_is_the_same():
    trip = round_trip(sound(), BATON)
    assert (trip.is_same, trip.is_proved, trip.definition) == (True, True, sound())


def test_a_loss_explains_a_difference():
    lost = Support("lost", "left out", "Nobody observes.", differs=True)
    chosen = replace(
        BATON,
        support={**BATON.support, "supervisor": lost},
        read=reading(supervisor_id=None),
    )
    trip = round_trip(sound(), chosen)
    assert (trip.is_same, trip.is_proved, trip.unexplained) == (False, True, ())
    assert [change.key for change in trip.difference.changes] == ["supervisor_id"]


def test_a_difference_without_a_loss_is_named():
    trip = round_trip(sound(), replace(BATON, read=reading(supervisor_id=None)))
    assert (trip.is_proved, trip.unexplained) == (False, ("Supervisor (watcher)",))


def test_a_part_that_is_reported_as_lost_and_comes_back_is_named():
    lost = Support("lost", "left out", "The names are missing.")
    chosen = replace(BATON, support={**BATON.support, "aliases": lost}, read=reading(name="Other"))
    trip = round_trip(sound(), chosen)
    assert trip.unexplained == ("Aliases (desk)", "Aliases (refunds)")


def test_a_file_that_is_refused_is_not_proved():
    agents = tuple(Agent(id=f"a{n}", name="A", instructions="x" * 32_000) for n in range(70))
    trip = round_trip(PipelineDefinition(name="N", agents=agents), BATON)
    assert (trip.is_proved, trip.definition) == (False, None)
    assert trip.refusal.endswith(".")


def test_a_format_that_is_not_read_has_no_round_trip():
    with pytest.raises(UnknownNameError, match="No format for round trips 'mermaid'"):
        round_trip(sound(), format_named("mermaid"))


@settings(max_examples=15, deadline=None)
@given(storable_definitions())
def test_the_round_trip_of_any_stored_pipeline_is_proved(definition):
    for chosen in BOTH:
        trip = round_trip(definition, chosen)
        assert trip.is_proved or not definition.agents, (chosen.key, trip.unexplained)
