"""Issues of a form's part, next to their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from orchestration.validation import Issue, Kind, errors

_PART = re.compile(r"\$\.\w+\[\d+\]\.?")


def field_issues(
    issues: Iterable[Issue], kind: Kind, keys: tuple[str, ...], fields: Mapping[str, str]
) -> dict[str, str]:
    """Return the errors of one part by the field that shows the value at their path.

    `fields` maps paths (`conditions.custom`) to the names of fields. A field also shows the errors
    below its path.
    """
    messages: dict[str, list[str]] = {}
    for issue in errors(issues):
        if issue.where.kind == kind and issue.where.keys == keys:
            error_path = _PART.sub("", issue.where.path, count=1)
            paths = [path for path in fields if _is_below(error_path, path)]
            if paths:
                messages.setdefault(fields[max(paths, key=len)], []).append(issue.message)
    return {field: " ".join(texts) for field, texts in messages.items()}


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))
