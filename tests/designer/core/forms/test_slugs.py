"""Slugs of names."""

import pytest

from designer.core import slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Straße", "strasse"),
        ("GROẞ", "gross"),
        ("Ærø Kundservice", "aero-kundservice"),
        ("Œuvre", "oeuvre"),
        ("Łódź", "lodz"),
        ("Đặng", "dang"),
        ("Þórður", "thordur"),
        ("I\N{LATIN SMALL LETTER S WITH CEDILLA}\N{LATIN SMALL LETTER DOTLESS I}k", "isik"),
        ("Décision finale!", "decision-finale"),
        ("请求", ""),
    ],
)
def test_a_slug_keeps_every_latin_letter(name: str, expected: str) -> None:
    assert slug(name) == expected
