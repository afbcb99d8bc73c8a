"""Loading of untrusted documents, with all errors and their locations.

`read_json` and `read_document` (JSON or YAML) are the gate for every document: they check its
bytes, depth, number of values, numbers, texts and keys before anything is built from it, within
the `limits` of its kind.

A definition is checked in four steps, and each step reports all errors:

1. `read_json`;
2. `PipelineDefinition`: the fields and their types, with the messages of `error_messages`;
3. `storage`, for a file that becomes rows: unique names, and existing references unless an
   import keeps unknown ones as problems;
4. the rules of `orchestration.validation`, which never refuse a file: a draft may have issues.

This package starts no process, opens no file or socket, and runs no code of a file.
"""

from __future__ import annotations

from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.loading.definition_text import SCHEMA_FIELD, read_definition, with_lines
from orchestration.loading.error_messages import fault_from, is_foreign, quoted
from orchestration.loading.file_check import FileFinding, check_file
from orchestration.loading.json_text import (
    check_value,
    decode,
    has_too_many_values,
    parse,
    read_json,
)
from orchestration.loading.limits import (
    DEFINITION,
    FORM_VALUES,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_FAULTS,
    MAX_VALUES,
    MESSAGE,
    OPENAPI,
    TOOL_JSON,
    TOOL_LIST,
    TRACE,
    TRACE_EVENT,
    TRACE_HEAD,
    DocumentLimits,
)
from orchestration.loading.storage import (
    paths_in_file,
    storage_faults,
    unknown_names,
    without_unknown_layout,
)
from orchestration.loading.yaml_text import parse_yaml

__all__ = [
    "DEFINITION",
    "FORM_VALUES",
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_FAULTS",
    "MAX_VALUES",
    "MESSAGE",
    "OPENAPI",
    "TOOL_JSON",
    "TOOL_LIST",
    "TRACE",
    "TRACE_EVENT",
    "TRACE_HEAD",
    "DocumentLimits",
    "FileFinding",
    "check_file",
    "check_value",
    "decode",
    "fault_from",
    "has_too_many_values",
    "is_foreign",
    "json_schema",
    "load",
    "load_storable",
    "parse",
    "quoted",
    "read_document",
    "read_json",
    "storage_faults",
    "unknown_names",
    "without_unknown_layout",
]


def load(data: bytes | str) -> PipelineDefinition:
    """Return the definition in a file, or raise `DefinitionError` with up to 100 faults."""
    definition, _ = read_definition(decode(data))
    return definition


def load_storable(data: bytes | str, *, keeps_unknown: bool = False) -> PipelineDefinition:
    """Return the definition in a file that can become rows; see `storage_faults`.

    The paths of the faults refer to the file, in its own order, and the faults have line numbers.
    With `keeps_unknown`, references to parts that do not exist are allowed.
    """
    text = decode(data)
    try:
        definition, raw = read_definition(text)
        checked, _ = without_unknown_layout(definition) if keeps_unknown else (definition, ())
        if faults := storage_faults(checked, keeps_unknown=keeps_unknown):
            raise DefinitionError(paths_in_file(faults[:MAX_FAULTS], raw))
    except DefinitionError as error:
        raise DefinitionError(with_lines(error.faults, text)) from None
    return definition


def read_document(data: bytes | str, limits: DocumentLimits) -> object:
    """Return the value of a JSON or YAML document, or raise `DefinitionError`."""
    text = decode(data, limits)
    is_json = text.lstrip().startswith(("{", "["))
    return parse(text, limits) if is_json else parse_yaml(text, limits)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the format (draft 2020-12), generated from the model."""
    schema = PipelineDefinition.model_json_schema(mode="validation")
    fields = {SCHEMA_FIELD: {"type": "string", "description": "Address of this schema."}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return head | schema | {"properties": fields | schema["properties"]}
