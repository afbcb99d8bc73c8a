"""Fields of a tool that calls an HTTP API or an MCP server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from designer.core import KeyField, PartForm, ProseField
from orchestration.definition import HttpCall, McpCall


class HeadersField(ProseField):
    """Headers, one to a line: `Name: value`."""

    def clean(self, value: Any) -> dict[str, str]:  # type: ignore[override]
        """Return the headers by their names."""
        headers: dict[str, str] = {}
        for line in filter(str.strip, super().clean(value).splitlines()):
            name, colon, text = (part.strip() for part in line.partition(":"))
            if not (name and colon):
                raise ValidationError(f"“{line[:60]}” is not a header: write “Name: value”.")
            if name.lower() in {other.lower() for other in headers}:
                raise ValidationError(f"The header “{name}” occurs twice: delete one.")
            headers[name] = text
        return headers

    def prepare_value(self, value: Any) -> Any:
        """Return the headers as lines."""
        if isinstance(value, dict):
            return "\n".join(f"{name}: {text}" for name, text in value.items())
        return value


class CallsForm(PartForm):
    """Fields of a tool that calls an HTTP API or an MCP server."""

    http_connection = KeyField(
        label="Connection",
        required=False,
        empty_value=None,
        help_text="A connection of the pipeline's owner to an HTTP API: it adds its address and"
        " its key. Leave empty if the request needs none.",
    )
    http_method = forms.ChoiceField(
        label="Method",
        required=False,
        choices=[(method, method) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")],
    )
    http_url = forms.CharField(
        label="Address",
        required=False,
        max_length=2_000,
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
        help_text="{order} stands for the argument “order”: https://shop.example/orders/{order}?"
        "page={page}. With a connection: relative to its address.",
    )
    http_headers = HeadersField(
        label="Headers",
        rows=2,
        help_text="One per line: “Accept-Language: {language}”. Keys belong in a connection.",
    )
    http_body = ProseField(
        label="Body",
        rows=3,
        help_text="A template; an argument is written as JSON. Leave empty to send the unused"
        " arguments as one JSON object.",
    )
    http_take = forms.CharField(
        label="Part of the answer",
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
        help_text="A JSON Pointer, such as /order/state. Leave empty for the whole answer.",
    )
    mcp_connection = KeyField(
        label="MCP server",
        required=False,
        empty_value=None,
        help_text="A connection of the pipeline's owner to an MCP server.",
    )
    mcp_tool = forms.CharField(
        label="Tool on the server",
        required=False,
        max_length=500,
        help_text="Leave empty if it has the same name.",
    )

    ONLY_FOR: ClassVar[Mapping[str, str]] = {
        "http_connection": "http",
        "http_method": "http",
        "http_url": "http",
        "http_headers": "http",
        "http_body": "http",
        "http_take": "http",
        "mcp_connection": "mcp",
        "mcp_tool": "mcp",
    }

    CALL_PATHS: ClassVar[Mapping[str, str]] = {
        "http": "http_url",
        "mcp": "mcp_connection",
        **{name.replace("_", ".", 1): name for name in ONLY_FOR},
    }
    """Field that shows the issues of a path of the tool."""

    @staticmethod
    def call_values(http: HttpCall | None, mcp: McpCall | None) -> dict[str, Any]:
        """Return the values of a tool for the fields."""
        calls: dict[str, HttpCall | McpCall | None] = {"http": http or HttpCall(), "mcp": mcp}
        return {
            field: getattr(part, name)
            for field in CallsForm.ONLY_FOR
            for kind, _, name in [field.partition("_")]
            if (part := calls[kind]) is not None
        }

    def calls(self, kind: str) -> dict[str, Any]:
        """Build the call of a tool of this kind, without the fields of other kinds."""
        values = self.cleaned_data
        fields = {
            name.partition("_")[2]: values[name]
            for name in CallsForm.ONLY_FOR
            if name.startswith(f"{kind}_")
        }
        names = {name: f"{kind}_{name}" for name in fields}
        if kind == "http":
            fields["method"] = fields["method"] or "GET"
            return {"http": self.build(HttpCall, fields, names=names)}
        if kind == "mcp":
            if fields["tool"] and not fields["connection"]:
                self.add_error("mcp_connection", "Choose the MCP server of the tool.")
            return {
                "mcp": self.build(McpCall, fields, names=names) if fields["connection"] else None
            }
        return {}
