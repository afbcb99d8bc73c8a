"""Issues of a form's part, next to their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from orchestration.validation import Issue, Kind, errors

_PART = re.compile(r"\$\.\w+\[\d+\]\.?")


def remarks(
    issues: Iterable[Issue], kind: Kind, keys: tuple[str, ...], fields: Mapping[str, str]
) -> dict[str, str]:
    """The errors of one part, by the field that shows what is at their path.

    `fields` has a field's name for the path of what it shows (`conditions.custom`); whatever lies
    below that path is shown there too.
    """
    found: dict[str, list[str]] = {}
    for issue in errors(issues):
        if issue.where.kind == kind and issue.where.keys == keys:
            within = _PART.sub("", issue.where.path, count=1)
            above = [path for path in fields if _is_below(within, path)]
            if above:
                found.setdefault(fields[max(above, key=len)], []).append(issue.message)
    return {field: " ".join(sentences) for field, sentences in found.items()}


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))
