"""Comparison of a definition with its export, read again."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from orchestration.definition import PipelineDefinition
from orchestration.interchange import FEATURES, Import, export, format_named, read


def packed(files: Mapping[str, bytes | str], method: int = ZIP_DEFLATED) -> bytes:
    """Pack files into an archive, in a folder as an export has it."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(f"desk/{name}", content)
    return buffer.getvalue()


def back(definition: PipelineDefinition, format_key: str) -> Import:
    """Read the first file of an export."""
    return read(next(iter(export(definition, format_key).files.values())), format_key)


def undeclared_differences(definition: PipelineDefinition, format_key: str) -> list[str]:
    """Differences after a round trip that the format does not declare.

    A part that is native or metadata has the same value; a lost part is missing.
    """
    chosen = format_named(format_key)
    special = chosen.exceptions(definition)
    after = back(definition, format_key).definition
    found: list[str] = []
    for feature in FEATURES:
        old, new = feature.values(definition), feature.values(after)
        for place, value in old.items():
            kept = special.get((feature.key, place), chosen.support[feature.key]).kept
            if kept in ("native", "metadata") and new.get(place) != value:
                found.append(f"{feature.key} {place}: {value!r} became {new.get(place)!r}")
            if kept == "lost" and place in new and feature.key != "kind":
                found.append(f"{feature.key} {place} is back")
        kinds = {
            special.get((feature.key, place), chosen.support[feature.key]).kept for place in old
        }
        if kinds <= {"native", "metadata"} and chosen.support[feature.key].kept in (
            "native",
            "metadata",
        ):
            found += [f"{feature.key} {place} is new" for place in new.keys() - old.keys()]
    return found
