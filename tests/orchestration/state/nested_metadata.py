"""Metadata with lists and objects in each other."""

from typing import Any


def nested() -> dict[str, Any]:
    """Return metadata with a list, an object, and a list of objects in it."""
    return {"tags": ["vip"], "order": {"lines": [{"id": 7}]}}
