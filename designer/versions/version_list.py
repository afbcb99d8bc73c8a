"""Rows of the list of versions, in which two sides of a comparison are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from designer.models import Version
from designer.versions.selection import DRAFT


@dataclass(frozen=True, slots=True)
class ListedSide:
    """The draft or a version in the list."""

    name: str
    """Its name as a side: `draft`, or the number of the version."""
    version: Version | None
    """None for the draft."""
    letter: str
    """`A` for the earlier side of the shown comparison, `B` for the later one, or empty."""
    query: str
    """Query of the comparison that a click opens: the later side becomes the earlier one."""


def listed_sides(
    versions: Iterable[Version], before: str, after: str, *, only_named: bool = False
) -> Iterator[ListedSide]:
    """Yield the draft, then the versions; a click chooses a side, and two clicks choose both."""
    yield _side(DRAFT, None, before, after, only_named=only_named)
    for version in versions:
        yield _side(str(version.number), version, before, after, only_named=only_named)


def comparison_query(before: str, after: str, *, only_named: bool = False) -> str:
    """Return the query of a comparison: `from=7&to=draft`."""
    query = {"from": before, "to": after}
    return urlencode(query | ({"named": "1"} if only_named else {}))


def _side(
    name: str, version: Version | None, before: str, after: str, *, only_named: bool
) -> ListedSide:
    letter = "B" if name == after else "A" if name == before else ""
    pair = (before, after) if name == after else (after, name)
    return ListedSide(name, version, letter, comparison_query(*pair, only_named=only_named))
