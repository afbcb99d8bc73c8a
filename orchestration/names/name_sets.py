"""Collections of names in callers' arguments."""

from __future__ import annotations

from collections.abc import Iterable


def names_of(names: Iterable[str], field: str) -> tuple[str, ...]:
    """Return the names in a field; raise `ValueError` for a single text in place of a collection.

    A text is a collection of its characters, so `in` would search for a part of it.

    >>> names_of("invoice", "intents")
    Traceback (most recent call last):
    ...
    ValueError: intents is the text 'invoice': pass a collection, such as {'invoice'}.
    """
    if isinstance(names, str | bytes):
        raise ValueError(
            f"{field} is the text {names!r}: pass a collection, such as {{{names!r}}}."
        )
    return tuple(names)
