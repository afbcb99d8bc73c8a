"""Choice of two sides in the list of versions."""

from __future__ import annotations

from urllib.parse import parse_qs

from designer.models import Version
from designer.versions.version_list import listed_sides

VERSIONS = [Version(number=number) for number in (3, 2, 1)]


def click(name: str, query: str) -> str:
    """Return the query of the comparison after a click."""
    chosen = {key: values[0] for key, values in parse_qs(query).items()}
    sides = listed_sides(
        VERSIONS, chosen["from"], chosen["to"], only_named=chosen.get("named") == "1"
    )
    return next(side.query for side in sides if side.name == name)


def test_two_clicks_choose_any_two_sides():
    names = ["draft", "3", "2", "1"]
    for first in names:
        for second in names:
            if first != second:
                query = click(second, click(first, "from=3&to=draft"))
                assert query == f"from={first}&to={second}"


def test_a_click_on_the_later_side_changes_nothing():
    assert click("draft", "from=3&to=draft") == "from=3&to=draft"


def test_a_click_on_the_earlier_side_swaps_both():
    assert click("3", "from=3&to=draft") == "from=draft&to=3"


def test_a_file_stays_one_of_the_sides_after_a_click():
    assert click("2", "from=draft&to=file-7") == "from=file-7&to=2"


def test_the_filter_stays_after_a_click():
    assert click("2", "from=3&to=draft&named=1") == "from=draft&to=2&named=1"


def test_both_sides_are_marked_by_letter():
    letters = {side.name: side.letter for side in listed_sides(VERSIONS, "2", "draft")}
    assert letters == {"draft": "B", "3": "", "2": "A", "1": ""}
