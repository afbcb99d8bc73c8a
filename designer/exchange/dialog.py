"""Content of the Export dialog: formats, losses, the preview of a file, and the round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from designer.exchange.code_colors import marked_lines
from designer.exchange.export_formats import EXPORT_FORMATS, ExportFormat
from orchestration.definition import PipelineDefinition
from orchestration.interchange import Export, Kept, Loss, RoundTrip, round_trip
from orchestration.loading import MAX_BYTES

MAX_LINES: Final = 400
"""Maximum number of lines in the preview of a file; the download has all."""
MAX_TABS: Final = 30
"""Maximum number of files with a tab; the download has all."""
MAX_PLACES: Final = 3
"""Maximum number of parts in a row of the table; beyond it their number is shown."""
PICTURES: Final = (".png", ".svg")

KEPT: Final[Mapping[Kept, str]] = {
    "native": "native",
    "metadata": "carried",
    "code": "in code",
    "comment": "as a note",
    "lost": "left out",
}
"""Words of the table for the forms of a part."""


@dataclass(frozen=True, slots=True)
class FormatRow:
    """A format in the list, with the number of parts that behave the same in it."""

    key: str
    title: str
    summary: str
    kind: str
    same: int
    """Number of parts that behave the same; in a picture, number of drawn parts."""
    total: int

    @property
    def percent(self) -> int:
        """Length of the bar."""
        return round(100 * self.same / self.total) if self.total else 100


@dataclass(frozen=True, slots=True)
class LossRow:
    """A row of the table of losses."""

    part: str
    places: str
    """`orders → billing, orders → human`, or `5 parts`."""
    kept: str
    description: SafeString
    consequence: SafeString
    differs: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """The shown part of a file."""

    path: str
    is_picture: bool
    lines: Sequence[SafeString]
    more: int
    """Number of lines after the shown ones."""


class ExportDialog:
    """A definition in a chosen format. Files are written for this format only."""

    def __init__(
        self,
        definition: PipelineDefinition,
        chosen: ExportFormat,
        path: str = "",
        *,
        schema: str = "",
    ) -> None:
        self.definition, self.chosen = definition, chosen
        self._path, self._schema = path, schema

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to export."""
        return not self.definition.agents and not self.definition.stages

    @cached_property
    def formats(self) -> list[FormatRow]:
        """All formats, with the number of parts that behave the same."""
        return [_format_row(each, self.definition) for each in EXPORT_FORMATS]

    @property
    def groups(self) -> list[tuple[str, list[FormatRow]]]:
        """The formats by kind, each kind with its heading."""
        groups = [
            (heading, [each for each in self.formats if each.kind == kind])
            for kind, heading in (("pipeline", "Pipeline"), ("picture", "Picture"))
        ]
        return [group for group in groups if group[1]]

    @cached_property
    def row(self) -> FormatRow:
        """The chosen format."""
        return next(each for each in self.formats if each.key == self.chosen.key)

    @cached_property
    def losses(self) -> list[LossRow]:
        """The parts that are not native in the chosen format, or behave differently there."""
        return [
            LossRow(
                loss.part,
                _places(loss),
                KEPT[loss.kept],
                _with_code(loss.description),
                _with_code(loss.consequence),
                loss.differs,
            )
            for loss in self._report.losses
        ]

    @property
    def native(self) -> str:
        """The native parts in one line: `Agents 9 · Stages 9 · Entry`."""
        return " · ".join(
            f"{each.part} {len(each.places)}" if len(each.places) > 1 else each.part
            for each in self._report.native
        )

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The texts of the files of the chosen format; pictures are encoded when they are shown."""
        return self.chosen.texts(self.definition, self._schema)

    @property
    def tabs(self) -> list[str]:
        """The files with a tab: the first ones, and the chosen one."""
        paths = list(self.files)
        shown = paths[:MAX_TABS]
        return shown + [path for path in paths[MAX_TABS:] if path == self._path]

    @property
    def untabbed(self) -> int:
        """Number of files without a tab."""
        return len(self.files) - len(self.tabs)

    @property
    def has_code(self) -> bool:
        """True if the files are a program."""
        return any(path.endswith(".py") for path in self.files)

    @property
    def preview(self) -> Preview:
        """The chosen file, otherwise the first one."""
        path = self._path if self._path in self.files else next(iter(self.files))
        if path.endswith(PICTURES):
            return Preview(path, True, (), 0)
        lines = self.files[path].splitlines()
        shown = marked_lines(path, lines[:MAX_LINES])
        return Preview(path, False, shown, max(0, len(lines) - MAX_LINES))

    @property
    def is_too_large(self) -> bool:
        """True if a file that can be imported exceeds the limit of an import."""
        return self.chosen.format.read is not None and any(
            len(text.encode()) > MAX_BYTES for text in self.files.values()
        )

    @cached_property
    def round_trip(self) -> RoundTrip | None:
        """The proof of the round trip; None for a format that is not read."""
        if self.chosen.format.read is None or self.is_empty:
            return None
        return round_trip(self.definition, self.chosen.format)

    @cached_property
    def _report(self) -> Export:
        return Export(self.chosen.key, self.files, self.chosen.format.rows(self.definition))


def _format_row(each: ExportFormat, definition: PipelineDefinition) -> FormatRow:
    chosen, rows = each.format, each.format.rows(definition)
    is_picture = chosen.kind == "picture"
    same = sum(row.kept == "native" if is_picture else not row.differs for row in rows)
    return FormatRow(chosen.key, chosen.title, chosen.summary, chosen.kind, same, len(rows))


def _with_code(text: str) -> SafeString:
    """Return a text with its parts in backticks as code."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", each) if n % 2 else each,) for n, each in parts)
    )


def _places(loss: Loss) -> str:
    if loss.places == ("pipeline",):
        return ""
    if len(loss.places) > MAX_PLACES:
        return f"{len(loss.places)} parts"
    return ", ".join(loss.places)
