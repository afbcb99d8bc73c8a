"""Baton JSON: the definition itself, as a format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.exceptions import DefinitionError
from orchestration.interchange import export, read
from orchestration.interchange.baton_json import recognises
from tests.orchestration.sound_pipeline import SOUND, sound


def file(**changes: Any) -> str:
    """A file of the format, apart from `changes`."""
    return json.dumps(json.loads(sound().dump()) | changes)


def test_baton_json_is_recognised_and_read_without_a_loss() -> None:
    result = read(export(sound(), "baton").files["pipeline.json"])
    assert (result.definition, result.losses) == (sound(), ())


def test_positions_and_colours_of_parts_that_do_not_exist_are_lost() -> None:
    place = {"x": 0, "y": 0}
    layout = {"stages": {"intake": place, "gone": place}, "hues": {"nobody": 120}}
    result = read(file(layout=layout), "baton")
    assert set(result.definition.layout.stages) == {"intake"}
    assert result.definition.layout.hues == {}
    (row,) = result.losses
    assert (row.part, row.places, row.differs) == ("Layout", ("gone", "nobody"), False)


def test_references_to_parts_that_do_not_exist_are_kept() -> None:
    text = file(entry="gone", aliases={"help": "nobody"})
    definition = read(text, "baton").definition
    assert (definition.entry, definition.aliases) == ("gone", {"help": "nobody"})


def test_a_file_with_several_faults_is_refused_with_all_of_them() -> None:
    text = file(name="", agents=[*SOUND["agents"], {"id": "No key", "name": "A"}], topology="ring")
    with pytest.raises(DefinitionError) as caught:
        read(text, "baton")
    assert {fault.path for fault in caught.value.faults} == {
        "$.name",
        "$.agents[4].id",
        "$.topology",
    }


@pytest.mark.parametrize(
    "value", [None, [], "baton.pipeline", {}, {"format": "other"}, {"format": ["baton.pipeline"]}]
)
def test_another_document_is_not_recognised(value: object) -> None:
    assert not recognises("", value)
    assert recognises("", json.loads(file()))
