"""Order of names for people.

Letter case and accents are ignored, and numbers within names count as numbers.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

NUMBER = re.compile("[0-9]+")
DIGITS = 4
"""Number of digits that state the length of a number within a name."""


@lru_cache(maxsize=8_192)  # each edit sorts the names of its pipeline again
def natural_key(name: str) -> str:
    """Return the sort key of a name.

    >>> sorted(["Agent 10", "agent 2", "Agent 1"], key=natural_key)
    ['Agent 1', 'agent 2', 'Agent 10']
    >>> sorted(["Zoo", "Ökonom", "Pilot"], key=natural_key)
    ['Ökonom', 'Pilot', 'Zoo']
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return NUMBER.sub(_with_length, plain)


def _with_length(number: re.Match[str]) -> str:
    digits = number[0].lstrip("0")
    return f"{len(digits):0{DIGITS}}{digits}"
