"""JSON in the order in which its author wrote it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models


class OrderedJSONField(models.TextField):  # type: ignore[type-arg]
    """A JSON value kept as text, because PostgreSQL's `jsonb` sorts the keys of an object.

    A model writes its arguments in the order in which a tool's schema names them, so that order is
    part of what the author said. There are no look-ups inside the value.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        """Read the text."""
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        """Leave a value as it is: it never comes as text."""
        return value

    def get_prep_value(self, value: Any) -> Any:
        """Write the text."""
        return None if value is None else json.dumps(value, ensure_ascii=False)
