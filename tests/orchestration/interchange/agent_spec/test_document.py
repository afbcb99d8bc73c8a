"""Components of a document, with references that are resolved."""

from __future__ import annotations

import pytest

from orchestration.interchange.agent_spec.document import MAX_REFERENCES, Component, Document
from tests.orchestration.interchange.agent_spec.imported import AGENT, lost, reference


def test_a_referenced_component_has_the_path_of_its_definition() -> None:
    inner = {"component_type": "Agent", "$referenced_components": {"find": {"name": "find"}}}
    outer = {"$referenced_components": {"b": {"name": "b"}}}
    document = Document({"$referenced_components": {"a": inner}, "tools": [outer]})
    parts = [document.part(reference(key), "$.x") for key in ("a", "find", "b")]
    assert [part and part.path for part in parts] == [
        "$.$referenced_components.a",
        "$.$referenced_components.a.$referenced_components.find",
        "$.tools[0].$referenced_components.b",
    ]


def test_definitions_in_metadata_are_no_components() -> None:
    document = Document({"metadata": {"$referenced_components": {"a": {}}}})
    assert document.part(reference("a"), "$") is None


def test_the_first_of_two_definitions_with_one_key_counts() -> None:
    second = {"name": "x", "$referenced_components": {"a": {"name": "second"}}}
    document = Document({"$referenced_components": {"a": {"name": "first"}, "b": second}})
    found = document.part(reference("a"), "$")
    assert found is not None
    assert found.fields == {"name": "first"}


@pytest.mark.parametrize("value", [None, 3, "a", [], {"$component_ref": "none"}])
def test_another_value_is_no_component(value: object) -> None:
    assert Document({"$referenced_components": {"a": {}, "none": 3}}).part(value, "$") is None


def test_a_chain_of_references_is_followed_up_to_the_limit() -> None:
    chain = {f"r{number}": reference(f"r{number + 1}") for number in range(MAX_REFERENCES)}
    last = {f"r{MAX_REFERENCES}": {"name": "end"}}
    document = Document({"$referenced_components": chain | last})
    found = document.part(reference("r2"), "$")
    assert found is not None
    assert found.fields == {"name": "end"}
    assert document.part(reference("r0"), "$") is None


def test_a_component_names_its_type_fields_and_entries_by_their_paths() -> None:
    part = Component("$.a", {"component_type": 3, "tools": ["x", "y"], "inputs": "no list"})
    assert part.kind == ""
    assert part.at("tools", 1, "name") == "$.a.tools[1].name"
    assert part.entries("tools") == [("$.a.tools[0]", "x"), ("$.a.tools[1]", "y")]
    assert part.entries("inputs") == part.entries("missing") == []


def test_a_reference_to_itself_is_a_loss() -> None:
    circle = {"a": {"$component_ref": "b"}, "b": {"$component_ref": "a"}}
    value = {
        "component_type": "Swarm",
        "first_agent": AGENT,
        "relationships": [[AGENT, {"$component_ref": "a"}], 3],
        "$referenced_components": circle,
    }
    assert lost(value) == {
        ("Agent", "$.relationships[0][1]"),
        ("Relationship", "$.relationships[1]"),
    }
