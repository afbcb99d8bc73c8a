"""Forms of a tool in the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from django import forms

from designer.core import NAME_IS_MADE_OF, JsonField, ListField
from designer.editor.forms.tool_calls import CallsForm
from designer.editor.forms.tool_settings import MannersForm
from orchestration.definition import TOOL_NAME_PATTERN, Tool


class ToolForm(CallsForm, MannersForm):
    """A tool without its examples: what the model is told of it, and what answers a call."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {
        **CallsForm.ONLY_FOR,
        **MannersForm.ONLY_FOR,
        "pipeline": "subtask",
        "template_hints": "subtask",
    }

    name = forms.RegexField(
        TOOL_NAME_PATTERN, max_length=64, strip=True, error_messages={"invalid": NAME_IS_MADE_OF}
    )
    kind = forms.ChoiceField(
        label="What answers it",
        choices=[
            ("function", "A function"),
            ("subtask", "Another pipeline"),
            ("user_input", "The user, who is asked"),
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
        help_text="One of yours, by its name. Empty: the one that the hints fit best.",
    )
    template_hints = ListField(
        rows=2, label="Hints", help_text="Words that its name or description holds, one a line."
    )
    parameters = JsonField(
        dict[str, Any],
        rows=6,
        empty='{"type": "object", "properties": {}}',
        help_text="A JSON Schema of the arguments. Where the user is asked, the question is the"
        " argument “question”, or else all of them as JSON. Another pipeline is given a lone text"
        " as it is, and anything else as JSON.",
    )
    field_order = ("name", "kind", "description", "pipeline", "template_hints", *CallsForm.ONLY_FOR)

    PATHS: ClassVar[dict[str, str]] = {
        **CallsForm.CALL_PATHS,
        **{name: name for name in ("name", "parameters", "pipeline", "template_hints")},
        **{name: name for name in MannersForm.MANNERS},
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
        """The form of a tool as it is, with the pipelines that a subtask may name.

        `connections` are the names of those of the kinds `http` and `mcp` that may be named.
        """
        own = {
            name: getattr(tool, name) for name in cls.base_fields if name not in CallsForm.ONLY_FOR
        }
        form = cls(initial=own | cls.call_values(tool.http, tool.mcp), **options)
        form.suggest("pipeline", pipelines)
        form.suggest("http_connection", connections["http"])
        form.suggest("mcp_connection", connections["mcp"])
        return form

    def clean(self) -> dict[str, Any]:
        """The tool, all at once. What its kind has no use for is left out."""
        values = self.cleaned_data
        idle = self.idle(values.get("kind"))
        if self.errors:
            return values
        called = self.calls(values["kind"])
        used = {
            name: part
            for name, part in values.items()
            if name not in idle and name not in CallsForm.ONLY_FOR
        }
        return values if self.errors else {"tool": self.build(Tool, used | called)}
