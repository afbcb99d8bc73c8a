"""Declarations of the formats, and documents of unknown ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.exceptions import DefinitionError, UnknownNameError
from orchestration.interchange import (
    FEATURE_KEYS,
    FORMATS,
    Format,
    Support,
    export,
    read,
)
from orchestration.loading import load
from tests.orchestration.sound_pipeline import sound

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))
WRITTEN = [each for each in FORMATS if each.write is not None]


@pytest.mark.parametrize("chosen", WRITTEN, ids=lambda each: each.key)
def test_a_format_declares_its_support_of_every_feature(chosen: Format) -> None:
    assert set(chosen.support) == set(FEATURE_KEYS)
    for key, support in chosen.support.items():
        if support.differs:
            assert support.consequence.endswith("."), key
        if support.kept != "native" or support.differs:
            assert support.becomes, key


@pytest.mark.parametrize("chosen", WRITTEN, ids=lambda each: each.key)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_a_sample_is_exported_in_every_format(chosen: Format, sample: Path) -> None:
    result = export(load(sample.read_bytes()), chosen.key)
    assert all(text for text in result.files.values())
    assert 0 < result.same <= result.total == len(result.native) + len(result.losses)


def test_single_parts_can_have_another_support() -> None:
    way = Support("lost", "no edge", "The handoff is missing.", differs=True)
    first = sound().transitions[0]
    place = f"{first.source} → {first.target}"
    chosen = Format(
        "tree",
        "Tree",
        "text",
        support=dict.fromkeys(FEATURE_KEYS, Support("native")),
        exceptions=lambda _: {("transition", place): way},
        write=lambda _: {},
    )
    lost = [each for each in chosen.export(sound()).rows if each.kept == "lost"]
    assert [each.places for each in lost] == [(place,)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "JSON"),
        ('{"agents": 3}', r"\$\.agents: "),
        ('{"crew": 3}', "format is not known"),
        ("print(1)", "format is not known"),
        ("[" * 100 + "]" * 100, "32 deep"),
    ],
)
def test_an_unknown_document_is_refused_with_one_sentence(data: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        read(data)


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(UnknownNameError, match="No format 'langgrap'"):
        export(sound(), "langgrap")
    with pytest.raises(UnknownNameError, match="No format for imports 'mermaid'"):
        read("flowchart LR", "mermaid")
