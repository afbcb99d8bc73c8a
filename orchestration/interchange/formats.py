"""Declaration of a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import UnknownNameError
from orchestration.interchange.features import FEATURES
from orchestration.interchange.results import Export, Import, Loss, Support, left_out

Files = Mapping[str, str]
"""Exported files by relative path, in order of importance."""

NATIVE = Support("native")

NO_EFFECT = left_out("It has no effect in a conversation.", differs=False)

NEVER_CALLED = left_out("The supervisor is never called.", differs=False)

UNUSED: Mapping[str, Support] = {
    "cues": left_out("A rehearsal with the scripted provider needs the pipeline.", differs=False),
    "examples": left_out("The examples do not answer calls.", differs=False),
    "layout": left_out("The positions and colours are not kept.", differs=False),
    "notes": left_out("The notes and frames are not kept.", differs=False),
}
"""Support of the features that only Baton uses, in formats without data of Baton."""

Exceptions = Callable[[PipelineDefinition], Mapping[tuple[str, str], Support]]
"""Support of single parts that differs from the declaration, by feature and place."""


def no_exceptions(definition: PipelineDefinition) -> Mapping[tuple[str, str], Support]:
    """Return no exceptions."""
    return {}


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its names, its functions, and its support of every feature."""

    key: str
    """Name for commands and addresses, such as `agent-spec`."""
    title: str
    summary: str
    """A few words for the list of formats, such as `Python code`."""
    kind: Literal["pipeline", "picture"] = "pipeline"
    support: Mapping[str, Support] = field(default_factory=dict)
    """Support by the key of a feature."""
    exceptions: Exceptions = no_exceptions
    write: Callable[[PipelineDefinition], Files] | None = None
    """Writes the files; None for a format that is only imported. Pure."""
    write_report: Callable[[PipelineDefinition, Files, Sequence[Loss]], Files] | None = None
    """Writes further files about the files and the rows of the report, such as `README.md`."""
    read: Callable[[str], Import] | None = None
    """Reads a document that was decoded; None for a format that is only exported. It raises
    `DefinitionError` for a document without any agent."""
    read_archive: Callable[[str, Mapping[str, str]], Import] | None = None
    """Reads a document with the other programs of its archive, by file name."""
    recognises: Callable[[str, Any], bool] | None = None
    """Reports whether a text, and its value if it is JSON or YAML, are in this format."""

    def export(self, definition: PipelineDefinition) -> Export:
        """Return the files and the report of a definition."""
        if self.write is None:
            raise UnknownNameError("format for exports", self.key, known=())
        rows = self.rows(definition)
        files = self.write(definition)
        if self.write_report is not None:
            files = {**files, **self.write_report(definition, files, rows)}
        return Export(self.key, files, rows)

    def rows(self, definition: PipelineDefinition) -> tuple[Loss, ...]:
        """Return the rows of the report of a definition: the used features with their support."""
        special = self.exceptions(definition)
        rows: list[Loss] = []
        for feature in FEATURES:
            by_support: dict[Support, list[str]] = {}
            for place in feature.places(definition):
                support = special.get((feature.key, place), self.support[feature.key])
                by_support.setdefault(support, []).append(place)
            rows += [
                Loss(
                    feature.title,
                    tuple(places),
                    support.kept,
                    support.becomes,
                    support.consequence,
                    support.differs,
                )
                for support, places in by_support.items()
            ]
        return tuple(rows)
