"""Report of an export or an import in the terminal: its summary and its losses."""

from __future__ import annotations

from collections.abc import Iterator

from designer.exchange import KEPT
from designer.rehearsal import plain
from orchestration.interchange import Import, Loss, Report

MAX_PLACES = 5
"""Maximum number of parts in a line; beyond it their number is shown."""


def report_lines(report: Report) -> Iterator[str]:
    """Yield the summary and a line for each part that is not native; first those that differ."""
    yield report.summary
    for loss in report.losses:
        mark = "✕ differs, " if loss.differs else ""
        kept = "changed" if isinstance(report, Import) and loss.kept != "lost" else KEPT[loss.kept]
        words = filter(None, dict.fromkeys((kept, loss.description)))
        changed = f"{mark}{': '.join(words)}."
        yield plain(f"  {loss.part}{_places(loss)}: {changed} {loss.consequence}".rstrip())


def picture_lines(report: Report) -> Iterator[str]:
    """Yield the number of parts that a picture shows, and the others."""
    yield f"Drawn: {len(report.native)} of {report.total} parts."
    if report.losses:
        yield plain(f"  Not drawn: {', '.join(loss.part for loss in report.losses)}.")


def _places(loss: Loss) -> str:
    if loss.places == ("pipeline",):
        return ""
    if len(loss.places) > MAX_PLACES:
        return f" ({len(loss.places)} parts)"
    return f" ({', '.join(loss.places)})"
