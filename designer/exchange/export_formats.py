"""Formats of the Export dialog: the formats of the engine, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import UnknownNameError
from orchestration.interchange import FORMATS, Files, Format


def _as_utf8(files: Files) -> Mapping[str, bytes]:
    return {name: text.encode() for name, text in files.items()}


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that can be exported, and the encoding of its files."""

    format: Format
    encode: Callable[[Files], Mapping[str, bytes]] = _as_utf8

    @property
    def key(self) -> str:
        """Name for commands and addresses."""
        return self.format.key

    def files(self, definition: PipelineDefinition) -> Mapping[str, bytes]:
        """Return the exported files by their relative path, in order of importance."""
        return self.encode(self.format.export(definition).files)


EXPORT_FORMATS: tuple[ExportFormat, ...] = tuple(
    ExportFormat(each) for each in FORMATS if each.write is not None
)
"""All formats that can be exported, in the order of the dialog."""


def export_format(key: str) -> ExportFormat:
    """Return the format with this key, or raise `UnknownNameError`."""
    for each in EXPORT_FORMATS:
        if each.key == key:
            return each
    raise UnknownNameError("format", key, known=[each.key for each in EXPORT_FORMATS])
