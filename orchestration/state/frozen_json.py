"""JSON values that cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, Self

import msgspec


class FrozenDict(dict[str, Any]):
    """A JSON object that cannot be changed; it is equal to a `dict` with the same entries."""

    def _refuse(self, *arguments: object, **values: object) -> NoReturn:
        raise TypeError("This object is immutable: change a copy, dict(…).")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A JSON array that cannot be changed; it is equal to a `list` with the same items."""

    def _refuse(self, *arguments: object, **values: object) -> NoReturn:
        raise TypeError("This list is immutable: change a copy, list(…).")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = _refuse
    clear = pop = sort = reverse = _refuse

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenList, (list(self),)


EMPTY = FrozenDict()


def freeze_object(value: Mapping[str, Any] | None) -> FrozenDict:
    """Return a deeply immutable copy of a JSON object.

    The copy contains exactly the values that its JSON contains: a tuple becomes a list, a date its
    text. A value without a JSON form raises `ValueError`.

    >>> tags = ["vip"]
    >>> frozen = freeze_object({"tags": tags})
    >>> tags.append("angry")
    >>> frozen
    {'tags': ['vip']}
    >>> frozen["tags"].append("angry")
    Traceback (most recent call last):
    ...
    TypeError: This list is immutable: change a copy, list(…).
    """
    if not value:
        return EMPTY
    try:
        copy = msgspec.json.decode(msgspec.json.encode(dict(value), enc_hook=_plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"The metadata has no JSON form: {error}. Use JSON values only.") from None
    return FrozenDict({key: _freeze(item) for key, item in copy.items()})


def _plain(value: object) -> object:
    """Convert a mapping that is no `dict`; raise `TypeError` for another type."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")


def _freeze(value: Any) -> Any:
    match value:
        case dict():
            return FrozenDict({key: _freeze(item) for key, item in value.items()})
        case list():
            return FrozenList(map(_freeze, value))
        case _:
            return value
