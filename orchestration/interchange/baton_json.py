"""Baton JSON: the definition itself, without any loss."""

from __future__ import annotations

from orchestration.definition import FORMAT, PipelineDefinition
from orchestration.interchange.features import FEATURE_KEYS
from orchestration.interchange.formats import NATIVE, Files, Format
from orchestration.interchange.results import Import, Loss
from orchestration.loading import load_storable, without_unknown_layout

_NO_PART = "Positions, frames or colours of parts that do not exist draw nothing."


def write(definition: PipelineDefinition) -> Files:
    """Return the file of the definition."""
    return {"pipeline.json": definition.dump()}


def read(text: str) -> Import:
    """Return the definition of a file; raise `DefinitionError` with all faults.

    References to parts that do not exist are kept, as problems of the draft.
    """
    definition, left_out = without_unknown_layout(load_storable(text, keeps_unknown=True))
    rows = BATON_JSON.rows(definition)
    if left_out:
        rows += (Loss("Layout", tuple(left_out), "lost", "left out", _NO_PART),)
    return Import(BATON_JSON.key, definition, rows)


def recognises(text: str, value: object) -> bool:
    """Report whether a document names the format of Baton."""
    return isinstance(value, dict) and value.get("format") == FORMAT


BATON_JSON = Format(
    key="baton",
    title="Baton JSON",
    summary="opens again here",
    support=dict.fromkeys(FEATURE_KEYS, NATIVE),
    write=write,
    read=read,
    recognises=recognises,
)
