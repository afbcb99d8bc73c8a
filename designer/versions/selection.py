"""Selection of the definition for a run: the only place that decides it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from designer import definitions
from designer.models import LIVE, Pipeline, Version
from designer.versions.errors import UnknownVersionError
from designer.versions.state import live_version
from orchestration.definition import PipelineDefinition

DRAFT = "draft"
"""Name of the state in the editor."""


@dataclass(frozen=True, slots=True)
class SelectedDefinition:
    """A definition, and the version that a conversation with it shows."""

    definition: PipelineDefinition
    version: Version | None
    """The selected version; for the draft the newest one, None if there is none."""
    edits_since: int | None
    """Number of edits of the draft since `version`; None for the version itself."""

    @property
    def choice(self) -> str:
        """Return `draft`, or the number of the version."""
        if self.version is None or self.edits_since is not None:
            return DRAFT
        return str(self.version.number)


def select_definition(pipeline: Pipeline, choice: str = DRAFT) -> SelectedDefinition:
    """Return the definition of `draft`, of `live`, or of a version by its number (`7` or `v7`).

    Raises UnknownVersionError. The caller reads the row and this in one `edit_action`.
    """
    if choice == DRAFT:
        newest = pipeline.versions.without_definition().first()
        edits = pipeline.version - newest.edit_count if newest else pipeline.version
        return SelectedDefinition(definitions.read(pipeline), newest, edits)
    version = find_version(pipeline, choice)
    return SelectedDefinition(version.snapshot(), version, None)


def find_version(pipeline: Pipeline, choice: str) -> Version:
    """Return the version by its number, or the live one; raise UnknownVersionError."""
    if choice == LIVE:
        if version := live_version(pipeline):
            return version
        raise UnknownVersionError(
            f"“{pipeline.name}” has no live version: publish one, or use the draft."
        )
    match = re.fullmatch(r"v?([0-9]{1,9})", choice)
    version = pipeline.versions.filter(number=int(match[1])).first() if match else None
    if version is None:
        raise UnknownVersionError(
            f"“{pipeline.name}” has no version “{choice}”; unnamed versions are deleted after a "
            "day: choose one of the list."
        )
    return version
