"""JSON field that preserves the order of object keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models


class OrderedJSONField(models.TextField):  # type: ignore[type-arg]
    """A JSON value stored as text, because PostgreSQL's `jsonb` reorders the keys of an object.

    The order matters: a model writes arguments in the order of the tool's schema. There are no
    lookups inside the value.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        """Parse the stored text."""
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        """Return the value unchanged: it is never a text."""
        return value

    def get_prep_value(self, value: Any) -> Any:
        """Serialise the value to text."""
        return None if value is None else json.dumps(value, ensure_ascii=False)
