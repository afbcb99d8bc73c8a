"""Archives: an exported archive is read again; others are refused with a sentence."""

from __future__ import annotations

from zipfile import ZIP_BZIP2

import pytest

from orchestration.definition import PipelineDefinition, Topology
from orchestration.exceptions import DefinitionError
from orchestration.interchange import FORMATS, export, read
from orchestration.interchange.archives import MAX_FILES, documents
from orchestration.loading import MAX_BYTES
from tests.orchestration.interchange.round_trips import packed
from tests.orchestration.sound_pipeline import sound


def refused(data: bytes) -> str:
    with pytest.raises(DefinitionError) as caught:
        read(data)
    return str(caught.value)


READABLE = [each.key for each in FORMATS if each.read is not None and each.write is not None]


@pytest.mark.parametrize("key", READABLE)
def test_an_exported_archive_is_read_like_its_document(key: str) -> None:
    files = {name: text.encode() for name, text in export(sound(rules=[]), key).files.items()}
    document = next(iter(files.values()))
    whole = read(packed({"README.md": b"# Desk", **files}))
    assert whole.format == key
    assert whole == read(document)


@pytest.mark.parametrize("topology", ["pipeline", "workflow", "team", "swarm"])
@pytest.mark.parametrize("key", READABLE)
def test_an_exported_archive_of_an_empty_draft_is_read(key: str, topology: Topology) -> None:
    draft = PipelineDefinition(name="Desk", topology=topology)
    whole = read(packed(export(draft, key).files))
    assert whole.format == key
    assert whole.definition.name == "Desk"
    assert whole.definition.agents == ()


def test_a_program_with_a_pipeline_of_another_kind_is_of_no_known_format() -> None:
    program = b'"""Steps."""\n\nPIPELINE = {"name": "Build"}\n'
    assert "has no file in a known format" in refused(packed({"steps.py": program}))


def test_a_broken_file_beside_the_document_is_passed_over() -> None:
    document = sound().dump().encode()
    files = {"a.py": b"\xff", "b.py": b"x = 1", "c.json": document, "d.yaml": b"- 1"}
    assert read(packed(files)) == read(document)


def test_an_archive_costs_no_more_than_one_document() -> None:
    many = {f"{number}.json": sound().dump().encode() for number in range(MAX_FILES)}
    assert len(documents(packed(many))) == 1


def test_other_archives_are_refused() -> None:
    document = sound().dump().encode()
    assert "has no file in a known format" in refused(packed({"notes.txt": b"Hi"}))
    assert "has no file in a known format" in refused(packed({"a.json": document}, ZIP_BZIP2))
    assert f"more than {MAX_FILES} files" in refused(
        packed({f"{number}.json": b"1" for number in range(MAX_FILES + 1)})
    )
    bomb = packed({"a.py": b" " * MAX_BYTES, "b.json": document})
    assert len(bomb) < 10_000
    assert f"more than {MAX_BYTES:,} bytes" in refused(bomb)
    assert "is larger than" in refused(packed({"a.json": document}) + b" " * MAX_BYTES)
    whole = packed({"a.json": document})
    assert "damaged" in refused(whole[: len(whole) // 2])
    flags = whole.index(b"PK\x01\x02") + 8
    encrypted = bytearray(whole)
    encrypted[flags] |= 1
    assert "encrypted" in refused(bytes(encrypted))


WRITTEN_ONLY = [each.key for each in FORMATS if each.read is None and each.kind == "pipeline"]


@pytest.mark.parametrize("key", WRITTEN_ONLY)
def test_an_archive_of_a_format_that_is_not_read_is_refused(key: str) -> None:
    assert "has no file in a known format" in refused(packed(export(sound(), key).files))


def test_a_program_of_another_framework_is_named_as_such() -> None:
    text = export(sound(), "langgraph").files["agents.py"]
    with pytest.raises(DefinitionError, match="The format is not known"):
        read(text)
