"""The table of `docs/exchange.md`: features by formats, from the declarations."""

from __future__ import annotations

from collections.abc import Sequence

from orchestration.interchange.features import FEATURES
from orchestration.interchange.formats import Format


def mapping_table(formats: Sequence[Format]) -> str:
    """Return a Markdown table with a row for each feature and a column for each format."""
    written = [each for each in formats if each.write is not None]
    head = ["Feature", *[each.title for each in written]]
    lines = [head, ["---"] * len(head)]
    for feature in FEATURES:
        cells = [each.support[feature.key] for each in written]
        lines.append([feature.title, *[f"{c.symbol} {c.becomes}".strip() for c in cells]])
    return "".join(f"| {' | '.join(_cell(each) for each in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
