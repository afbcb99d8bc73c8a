"""Data of Baton in the metadata of components, under the key `baton`.

Programs resolve the keys `$component_ref` and `$referenced_components` anywhere in a document,
even in metadata, so free JSON gets one more `$` in such keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

KEY: Final = "baton"
_ESCAPED: Final = re.compile(r"\$+(?:component_ref|referenced_components)")


def metadata(**parts: Any) -> dict[str, Any]:
    """Return the fields of a component with its data of Baton; none without data."""
    kept = {key: value for key, value in parts.items() if value not in (None, {}, [])}
    return {"metadata": {KEY: escaped(kept)}} if kept else {}


def data_of(component: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of Baton in a component; empty if there is none."""
    match component.get("metadata"):
        case {"baton": dict(data)}:
            return dict(unescaped(data))
        case _:
            return {}


def escaped(value: Any) -> Any:
    """Return a JSON value whose keys are no references."""
    return _renamed(value, lambda key: f"${key}" if _ESCAPED.fullmatch(key) else key)


def unescaped(value: Any) -> Any:
    """Return the JSON value before `escaped`."""
    return _renamed(value, lambda key: key[1:] if _ESCAPED.fullmatch(key) else key)


def _renamed(value: Any, rename: Any) -> Any:
    if isinstance(value, Mapping):
        return {rename(key): _renamed(each, rename) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(each, rename) for each in value]
    return value
