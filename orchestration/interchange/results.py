"""Results of an export or an import: the files or the definition, and the losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from orchestration.definition import PipelineDefinition

Kept = Literal["native", "metadata", "code", "comment", "lost"]
"""Form of a part in the other format: its own construct, data that the format carries without
effect, generated code, a comment or a description, or nothing."""


@dataclass(frozen=True, slots=True)
class Support:
    """Declared form of one feature in one format.

    A declaration is a row of the loss table and a cell of the table in `docs/exchange.md`.
    """

    kept: Kept
    becomes: str = ""
    """The construct in the other format, such as `Handoff.input_json_schema`; empty if native."""
    consequence: str = ""
    """Effect for the user in one sentence; empty without an effect."""
    differs: bool = False
    """True if conversations can behave differently than in Baton."""

    @property
    def symbol(self) -> str:
        """Symbol of the table: ● native or in code with the same effect, ○ lost, ◐ others."""
        if self.kept in ("native", "code") and not self.differs:
            return "●"
        return "○" if self.kept == "lost" else "◐"


def left_out(consequence: str, *, differs: bool = True) -> Support:
    """Return the support of a feature that is not in the files."""
    return Support("lost", "left out", consequence, differs)


@dataclass(frozen=True, slots=True)
class Loss:
    """A row of the report: a feature of some parts, and its form on the other side.

    A native part is reported, too, so a report lists all parts of the pipeline.
    """

    part: str
    """The feature, such as `Filter in CEL`, or for an import the kind of part."""
    places: tuple[str, ...]
    """Parts with the feature, such as `orders → billing`; for an import the path in the file."""
    kept: Kept
    description: str = ""
    """Form of the part on the other side, such as `raises when called`."""
    consequence: str = ""
    """Effect for the user in one sentence."""
    differs: bool = False
    """True if conversations can behave differently."""

    @property
    def is_native(self) -> bool:
        """True if the other format has the part itself, with the same effect."""
        return self.kept == "native" and not self.differs

    def dump(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "part": self.part,
            "places": list(self.places),
            "kept": self.kept,
            "description": self.description,
            "consequence": self.consequence,
            "differs": self.differs,
        }


class Report:
    """Rows for all parts of an export or an import."""

    rows: tuple[Loss, ...]

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The parts that are not native, or behave differently: first those that differ."""
        changed = [row for row in self.rows if not row.is_native]
        return tuple(sorted(changed, key=lambda row: (not row.differs, row.kept == "lost")))

    @property
    def native(self) -> tuple[Loss, ...]:
        """The parts that the other format has itself, with the same effect."""
        return tuple(row for row in self.rows if row.is_native)

    @property
    def same(self) -> int:
        """Number of parts that behave the same."""
        return sum(not row.differs for row in self.rows)

    @property
    def total(self) -> int:
        """Number of parts."""
        return len(self.rows)

    @property
    def loses(self) -> bool:
        """True if a part is lost (`--strict`)."""
        return any(row.kept == "lost" for row in self.rows)

    @property
    def summary(self) -> str:
        """The number of parts that behave the same, in one sentence."""
        return f"Behaves the same: {self.same} of {self.total} parts."


@dataclass(frozen=True, slots=True)
class Export(Report):
    """Exported files by their relative path, in order of importance, and the report."""

    format: str
    files: Mapping[str, str]
    rows: tuple[Loss, ...]


UNNAMED: Final = "Imported pipeline"
"""Name of a pipeline from a document without a name."""


@dataclass(frozen=True, slots=True)
class Import(Report):
    """An imported definition and the report."""

    format: str
    definition: PipelineDefinition
    rows: tuple[Loss, ...]
