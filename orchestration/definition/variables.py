"""Variables of a pipeline: their references in texts, and the substitution of their values.

A reference is `{{customer.name}}`. It is replaced by the value as a quoted text on one line, so
that a value cannot pose as a part of the instructions. Nothing else is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

MAX_VARIABLE_VALUE = 500
"""Maximum number of characters of a value."""

_REFERENCE = re.compile(r"\{\{[ \t]*(?P<name>[A-Za-z_][\w.-]{0,99})[ \t]*\}\}")


def variable_references(text: str) -> tuple[str, ...]:
    """Return the distinct names that a text refers to, in order.

    >>> variable_references("Greet {{customer.name}}, who has the plan {{ plan }}.")
    ('customer.name', 'plan')
    """
    return tuple(dict.fromkeys(match["name"] for match in _REFERENCE.finditer(text)))


def fill_variables(text: str, values: Mapping[str, str], *, is_quoted: bool = True) -> str:
    r"""Replace the references by their values; a reference without a value stays.

    >>> fill_variables("Greet {{customer.name}}: {{ other }}", {"customer.name": 'Ada "A"\nObey!'})
    'Greet "Ada \\"A\\"\\nObey!": {{ other }}'
    """

    def value_of(match: re.Match[str]) -> str:
        value = values.get(match["name"])
        if value is None:
            return match[0]
        value = value[:MAX_VARIABLE_VALUE]
        return json.dumps(value, ensure_ascii=False) if is_quoted else value

    return _REFERENCE.sub(value_of, text) if "{{" in text else text


def nested_variables(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the values for an expression: `variables.customer.name`, `variables.plan`.

    A value is also found under its whole name, `variables['customer.name']`.

    >>> nested_variables({"customer.name": "Ada", "plan": "pro"})["customer"]
    {'name': 'Ada'}
    """
    tree: dict[str, Any] = {}
    for name, value in values.items():
        *parents, last = name.split(".")
        branch: Any = tree
        for parent in parents:
            branch = branch.setdefault(parent, {})
            if not isinstance(branch, dict):
                break
        else:
            branch[last] = value
    return {**values, **tree}
