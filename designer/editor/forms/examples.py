"""Forms of a tool's examples in the inspector: the first matching row answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from designer.core import JsonField, PartForm, ProseField, RowForms
from orchestration.definition import ToolExample

MAX_EXAMPLES = 100


class ExampleRow(PartForm):
    """One example: the arguments of matching calls, and the answer."""

    arguments = JsonField(
        dict[str, Any],
        rows=2,
        label="For calls with",
        empty="{}",
        help_text="A JSON object; a call may have further arguments. Leave empty for any call.",
    )
    result = ProseField(rows=2, label="The answer")

    def clean(self) -> dict[str, Any]:
        """Build the example; None for an empty row."""
        values = self.cleaned_data
        if not self.errors:
            is_filled = values["arguments"] or values["result"]
            values["part"] = self.build(ToolExample, values) if is_filled else None
        return values


class ExampleRows(RowForms):
    """A tool's examples. An empty row is not saved."""

    PREFIX = "example"


EXAMPLES: type[ExampleRows] = ExampleRows.of(ExampleRow, max_rows=MAX_EXAMPLES)


def example_rows(examples: Iterable[ToolExample], token: str) -> ExampleRows:
    """Return the rows of a tool's examples."""
    values = [
        {"arguments": example.arguments or "", "result": example.result} for example in examples
    ]
    return EXAMPLES.showing(values, token)
