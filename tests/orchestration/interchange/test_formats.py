"""Declarations of the formats, reports and the table."""

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
    mapping_table,
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


def test_a_report_counts_parts_that_behave_the_same_and_lists_differences_first() -> None:
    limited = sound(limits={"max_turns": 3})
    support = dict.fromkeys(FEATURE_KEYS, Support("native")) | {
        "call_human": Support("comment", "a note", "Nothing enforces it."),
        "limits": Support("lost", "left out", "The run does not stop.", differs=True),
    }
    rows = Format("other", "Other", "text", support=support, write=lambda _: {}).export(limited)
    assert [each.part for each in rows.losses] == ["Limits", "Any agent may hand over to the human"]
    assert (rows.same, rows.loses) == (rows.total - 1, True)
    assert rows.losses[0].dump() == {
        "part": "Limits",
        "places": ["pipeline"],
        "kept": "lost",
        "description": "left out",
        "consequence": "The run does not stop.",
        "differs": True,
    }


def test_a_native_part_that_behaves_differently_is_a_loss() -> None:
    support = dict.fromkeys(FEATURE_KEYS, Support("native")) | {
        "agent": Support("native", "`Agent`", "It answers twice.", differs=True),
    }
    result = Format("other", "Other", "text", support=support, write=lambda _: {}).export(sound())
    assert [each.part for each in result.losses] == ["Agents"]
    assert "Agents" not in [each.part for each in result.native]
    assert result.same == result.total - 1
    assert support["agent"].symbol == "◐"


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


def test_baton_json_is_recognised_and_read_without_a_loss() -> None:
    result = read(export(sound(), "baton").files["pipeline.json"])
    assert (result.definition, result.losses) == (sound(), ())


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


def test_the_table_has_a_row_for_each_feature_and_a_column_for_each_format() -> None:
    lines = mapping_table(FORMATS).splitlines()
    assert len(lines) == len(FEATURE_KEYS) + 2
    assert lines[0].startswith("| Feature | Baton JSON |")
