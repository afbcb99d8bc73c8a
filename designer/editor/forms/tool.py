"""Forms of a tool in the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from django import forms

from designer.core import JsonField, ListField, SectionedForm, ToolNameField, derive_fields
from designer.editor.forms.tool_calls import CallsForm
from orchestration.definition import Tool

_WITHOUT_ISSUES = ("kind", "description", "http", "mcp", "examples")
"""Fields of a tool that show no issues, or show them in the fields of `CallsForm`."""


@derive_fields(Tool, without=("http", "mcp", "examples"))
class ToolForm(CallsForm, SectionedForm):
    """A tool without its examples: its description for the model, and its implementation."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {
        **CallsForm.ONLY_FOR,
        "pipeline": "subtask",
        "template_hints": "subtask",
        "approval": "function subtask http mcp",
        "idempotent": "function http mcp",
        "time_limit": "function http mcp",
        "max_answer": "function http mcp",
    }

    name = ToolNameField(required=True)
    kind = forms.ChoiceField(
        label="Implementation",
        choices=[
            ("function", "A function"),
            ("subtask", "Another pipeline"),
            ("user_input", "A question to the user"),
            ("http", "An HTTP request"),
            ("mcp", "A tool of an MCP server"),
        ],
    )
    description = forms.CharField(
        required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 3})
    )
    pipeline = forms.CharField(
        required=False,
        max_length=120,
        empty_value=None,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Name of one of your pipelines. Leave empty to use the best match of the hints.",
    )
    template_hints = ListField(
        rows=2,
        label="Hints",
        help_text="Words in the pipeline's name or description, one per line.",
    )
    parameters = JsonField(
        dict[str, Any],
        rows=6,
        empty='{"type": "object", "properties": {}}',
        help_text="A JSON Schema of the arguments. If the user is asked, the question is the"
        " argument “question”, or all arguments as JSON. Another pipeline receives a single text"
        " unchanged, and other arguments as JSON.",
    )

    TOP: ClassVar = (
        "name",
        "kind",
        "description",
        "pipeline",
        "template_hints",
        *CallsForm.ONLY_FOR,
        "parameters",
    )
    SECTIONS: ClassVar = {"Approval, limits and retries": ()}
    field_order = TOP
    PATHS: ClassVar[Mapping[str, str]] = {
        **CallsForm.CALL_PATHS,
        **{name: name for name in Tool.model_fields if name not in _WITHOUT_ISSUES},
    }
    """Field that shows the issues of a path of the tool."""

    @classmethod
    def showing(
        cls,
        tool: Tool,
        pipelines: Sequence[str],
        connections: Mapping[str, Sequence[str]],
        **options: Any,
    ) -> Self:
        """Return the form of a saved tool, with the pipelines and connections to choose from.

        `connections` are the names of connections by their kinds, `http` and `mcp`.
        """
        own = {
            name: getattr(tool, name) for name in cls.base_fields if name not in CallsForm.ONLY_FOR
        }
        form = cls(initial=own | cls.call_values(tool.http, tool.mcp), **options)
        form.suggest("pipeline", pipelines, unknown="You have no pipeline")
        form.suggest("http_connection", connections["http"], unknown="There is no connection")
        form.suggest("mcp_connection", connections["mcp"], unknown="There is no connection")
        return form

    def clean(self) -> dict[str, Any]:
        """Build the tool, without the fields that its kind does not use."""
        values = self.cleaned_data
        unused = self.drop_unused(values.get("kind"))
        if self.errors:
            return values
        calls = self.calls(values["kind"])
        used = {
            name: part
            for name, part in values.items()
            if name not in unused and name not in CallsForm.ONLY_FOR
        }
        return values if self.errors else {"tool": self.build(Tool, used | calls)}
