"""Imports for the tests of Agent Spec: foreign documents, and exports that were changed."""

from __future__ import annotations

import json
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange import Import, read
from tests.orchestration.interchange.agent_spec.rich import document

AGENT: dict[str, Any] = {"component_type": "Agent", "name": "A", "system_prompt": "Help."}


def lost(value: dict[str, Any]) -> set[tuple[str, str]]:
    rows = read(json.dumps(value)).losses
    return {(row.part, place) for row in rows if row.kept == "lost" for place in row.places}


def changed(definition: PipelineDefinition, **parts: dict[str, Any]) -> Import:
    """Return the import of an export with changed fields of referenced components."""
    written = document(definition)
    for key, fields in parts.items():
        written["$referenced_components"][key] |= fields
    return read(json.dumps(written))


def pairs(definition: PipelineDefinition) -> set[tuple[str, str]]:
    return {(each.source, each.target) for each in definition.transitions}


def reference(key: str) -> dict[str, str]:
    return {"$component_ref": key}
