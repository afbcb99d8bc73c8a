"""Slugs of names, for ids and file names."""

from __future__ import annotations

from django.utils.text import slugify

_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "TH",
        "ħ": "h",
        "Ħ": "H",
        "ŋ": "ng",
        "Ŋ": "NG",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    }
)
"""Latin letters that Unicode does not decompose, so `slugify` alone drops them."""


def slug(text: str) -> str:
    """Return a text as lower-case Latin letters, digits, `-` and `_`.

    >>> slug("Café Straße Ø"), slug("请求")
    ('cafe-strasse-o', '')
    """
    return slugify(text.translate(_LETTERS))
