"""Formats of the Export dialog: the formats of the engine, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from designer.exchange.pictures import PNG, SVG, png_name, png_picture
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import UnknownNameError
from orchestration.interchange import FORMATS, Format


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that can be exported, and the encoding of its files."""

    format: Format
    encode: Callable[[str], bytes] = str.encode
    """Returns the content of a file for its text."""
    rename: Callable[[str], str] = str
    """Returns the path of an encoded file for the path of its text."""

    @property
    def key(self) -> str:
        """Name for commands and addresses."""
        return self.format.key

    def texts(self, definition: PipelineDefinition, schema: str = "") -> Mapping[str, str]:
        """Return the texts of the files, not yet encoded, by the paths of the files.

        `schema` is the address of the JSON Schema for Baton JSON.
        """
        files = self.format.export(definition).files
        if self.key == "baton" and schema:
            files = dict.fromkeys(files, definition.dump(schema))
        return {self.rename(path): text for path, text in files.items()}

    def files(self, definition: PipelineDefinition, schema: str = "") -> Mapping[str, bytes]:
        """Return the exported files by their relative path, in order of importance."""
        return {path: self.encode(text) for path, text in self.texts(definition, schema).items()}


EXPORT_FORMATS: tuple[ExportFormat, ...] = (
    *(ExportFormat(each) for each in FORMATS if each.write is not None),
    ExportFormat(SVG),
    ExportFormat(PNG, png_picture, png_name),
)
"""All formats that can be exported, in the order of the dialog."""


def export_format(key: str) -> ExportFormat:
    """Return the format with this key, or raise `UnknownNameError`."""
    for each in EXPORT_FORMATS:
        if each.key == key:
            return each
    raise UnknownNameError("format", key, known=[each.key for each in EXPORT_FORMATS])
