"""Files in: a definition from text that may be hostile, with every fault and where it stands.

A file passes four gates, and each reports all that it finds:

1. `text`: size and encoding, JSON that means one thing only, bounded in depth, number and length;
2. `PipelineDefinition`: the shape, with no unknown field, told in the words of `wording`;
3. for a file that is to become rows, `storage`: no name taken twice, no reference to nothing;
4. the rules of `orchestration.validation`, which never refuse a file: a draft may have issues.

Nothing here starts a process, opens a file or a socket, or runs what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.error_messages import fault_from, foreign_fault, is_foreign
from orchestration.loading.storage import paths_in_file, storage_faults
from orchestration.loading.text import MAX_BYTES, MAX_DEPTH, MAX_FAULTS, MAX_VALUES, decode, parse

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_FAULTS",
    "MAX_VALUES",
    "json_schema",
    "load",
    "load_storable",
    "storage_faults",
]


def load(data: bytes | str) -> PipelineDefinition:
    """The definition in a file, or `DefinitionError` with up to 100 faults."""
    definition, _ = _load(data)
    return definition


def load_storable(data: bytes | str) -> PipelineDefinition:
    """The definition in a file, if it can become rows; see `storage_faults`.

    The paths of the faults are those of the file, whatever order it is in.
    """
    definition, raw = _load(data)
    if faults := storage_faults(definition):
        raise DefinitionError(paths_in_file(faults[:MAX_FAULTS], raw))
    return definition


def json_schema() -> dict[str, Any]:
    """The format's JSON Schema (draft 2020-12), generated from the model."""
    schema = PipelineDefinition.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def _load(data: bytes | str) -> tuple[PipelineDefinition, Mapping[str, Any]]:
    text = decode(data)
    raw = parse(text)
    if not isinstance(raw, dict):
        raise DefinitionError([Fault("$", "A pipeline is a JSON object, in curly brackets.")])
    if is_foreign(raw):
        raise DefinitionError([foreign_fault(raw)])
    try:
        # Read once more by pydantic: its strict mode takes lists for tuples from JSON only.
        return PipelineDefinition.model_validate_json(text, strict=True), raw
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise DefinitionError([fault_from(one) for one in found[:MAX_FAULTS]]) from None
