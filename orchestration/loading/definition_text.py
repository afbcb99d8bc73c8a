"""The text of a definition: its fields, without the address of its schema, and its lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.error_messages import fault_from, foreign_fault, is_foreign
from orchestration.loading.json_text import parse
from orchestration.loading.limits import MAX_FAULTS
from orchestration.loading.line_numbers import line_numbers

SCHEMA_FIELD: Final = "$schema"
"""Field with the address of the JSON Schema, which editors read; it is not part of the
definition."""


def read_definition(text: str) -> tuple[PipelineDefinition, Mapping[str, Any]]:
    """Return the definition in a text, and its value as JSON; raise `DefinitionError`."""
    raw = parse(text)
    if not isinstance(raw, dict):
        raise DefinitionError([Fault("$", "A pipeline is a JSON object, in curly brackets.")])
    if SCHEMA_FIELD in raw:
        if not isinstance(raw.pop(SCHEMA_FIELD), str):
            raise DefinitionError([Fault("$['$schema']", "The address of a schema is a text.")])
        text = json.dumps(raw)
    if is_foreign(raw):
        raise DefinitionError([foreign_fault(raw)])
    try:
        # Parsed again by pydantic: its strict mode accepts lists for tuples only from JSON.
        return PipelineDefinition.model_validate_json(text, strict=True), raw
    except ValidationError as error:
        details = error.errors(include_url=False)[:MAX_FAULTS]
        raise DefinitionError([fault_from(each) for each in details]) from None


def with_lines(faults: Sequence[Fault], text: str) -> list[Fault]:
    """Return the faults with their lines, in their order.

    A fault of the whole file has none, unless the text is not JSON.
    """
    paths = {fault.path for fault in faults if fault.path != "$"}
    try:
        lines = line_numbers(text, paths) if paths else {}
    except (ValueError, IndexError, RecursionError):
        lines = {}
    numbered = [replace(fault, line=lines.get(fault.path, fault.line)) for fault in faults]
    return sorted(numbered, key=lambda fault: fault.line or 0)
