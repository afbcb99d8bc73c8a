"""Forms of the tool import page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from designer.connections.openapi_text import MAX_BYTES
from designer.core import KeyField, PartForm, PickField, ProseField
from orchestration.definition import Tool
from orchestration.exceptions import DefinitionError
from orchestration.loading import load_storable

MOST_PICKED = 200
"""Tools that are taken at once."""


class DocumentForm(PartForm):
    """An OpenAPI document, as a file or as text."""

    file = forms.FileField(required=False, allow_empty_file=True, label="A file, JSON or YAML")
    text = ProseField(rows=5, max_length=MAX_BYTES, label="Or its text")
    connection = KeyField(
        required=False,
        empty_value=None,
        help_text="With a connection of the kind HTTP API its tools go below that address, with its"
        " key. Empty: they go to the document's own server.",
    )

    def clean(self) -> dict[str, Any]:
        """The document, from where it is."""
        values = self.cleaned_data
        file = values.get("file")
        if file is not None and file.size > MAX_BYTES:
            self.add_error("file", "The document is larger than 2 MiB.")
        elif file is None and not values.get("text", "").strip() and not self.errors:
            self.add_error("file", "Choose a file, or put the document's text below.")
        else:
            values["document"] = file.read() if file is not None else values.get("text", "")
        return values


class ServerForm(PartForm):
    """An MCP server, by its connection."""

    server = PickField(label="MCP server", required=True)

    def offer_servers(self, names: Sequence[str]) -> None:
        """Say which servers there are."""
        self.set_choices("server", [(name, name) for name in names])


def picked_tools(sent: Sequence[str]) -> tuple[Tool, ...]:
    """The tools that were picked, each as JSON, read as strictly as a file is."""
    if len(sent) > MOST_PICKED:
        raise ValidationError(f"Take at most {MOST_PICKED} tools at once.")
    try:
        tools = [json.loads(one) for one in sent]
        definition = load_storable(json.dumps({"name": "Tools", "tools": tools}))
    except (ValueError, RecursionError):
        raise ValidationError("What was picked cannot be read: list the tools again.") from None
    except DefinitionError as error:
        said = " ".join(fault.message for fault in error.faults[:3])
        raise ValidationError(f"What was picked cannot be taken: {said}") from None
    return definition.tools
