"""Loading of exported documents by the library of Agent Spec itself."""

from __future__ import annotations

from collections.abc import Mapping

from pyagentspec import Component
from pyagentspec.serialization import AgentSpecDeserializer


def loaded(files: Mapping[str, str]) -> Component:
    """Return the component of an export, which both of its files contain."""
    component = AgentSpecDeserializer().from_json(files["agent-spec.json"])
    assert component == AgentSpecDeserializer().from_yaml(files["agent-spec.yaml"])
    return component
