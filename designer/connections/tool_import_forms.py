"""Forms of the tool import page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from designer.core import KeyField, PartForm, PickField, ProseField
from orchestration.definition import Tool
from orchestration.exceptions import DefinitionError
from orchestration.loading import OPENAPI, TOOL_LIST, load_storable, read_json

MAX_SELECTED = 200
"""Maximum number of tools in one import."""


class DocumentForm(PartForm):
    """An OpenAPI document, as a file or as text."""

    file = forms.FileField(required=False, allow_empty_file=True, label="A file, JSON or YAML")
    text = ProseField(rows=5, max_length=OPENAPI.max_bytes, label="Or its text")
    connection = KeyField(
        required=False,
        empty_value=None,
        help_text="HTTP API whose address and key the tools use. Leave empty to use the document's"
        " server.",
    )

    def clean(self) -> dict[str, Any]:
        """Read the document from the file or the text."""
        values = self.cleaned_data
        file = values.get("file")
        if file is not None and file.size > OPENAPI.max_bytes:
            self.add_error("file", "The document is larger than 2 MiB.")
        elif file is None and not values.get("text", "").strip() and not self.errors:
            self.add_error("file", "Choose a file, or paste the text of the document.")
        else:
            values["document"] = file.read() if file is not None else values.get("text", "")
        return values


class ServerForm(PartForm):
    """An MCP server, selected by its connection."""

    server = PickField(label="MCP server", required=True)

    def set_servers(self, names: Sequence[str]) -> None:
        """Set the available servers."""
        self.set_choices("server", [(name, name) for name in names])


def selected_tools(submitted: Sequence[str]) -> tuple[Tool, ...]:
    """Parse the selected tools from JSON, as strictly as a file."""
    if len(submitted) > MAX_SELECTED:
        raise ValidationError(f"Select at most {MAX_SELECTED} tools at once.")
    try:
        tools = [read_json(text, TOOL_LIST) for text in submitted]
    except DefinitionError as error:
        problem = error.faults[0].sentence.rstrip(".")
        raise ValidationError(
            f"The selection cannot be read ({problem}): list the tools again."
        ) from None
    try:
        definition = load_storable(json.dumps({"name": "Tools", "tools": tools}))
    except DefinitionError as error:
        problems = " ".join(fault.sentence for fault in error.faults[:3])
        raise ValidationError(f"The selection cannot be imported: {problems}") from None
    return definition.tools
