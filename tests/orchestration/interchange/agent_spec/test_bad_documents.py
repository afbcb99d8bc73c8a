"""Documents that are wrong: each becomes a pipeline with losses, or one clear error."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.exceptions import DefinitionError
from orchestration.interchange import read
from orchestration.loading import load, load_storable
from tests.orchestration.interchange.agent_spec.hostile import VALUES, WORDS
from tests.orchestration.interchange.agent_spec.imported import AGENT
from tests.orchestration.interchange.agent_spec.rich import document, rich

DOCUMENTS = Path(__file__).parent / "documents"
FOREIGN = [json.loads(path.read_text()) for path in sorted(DOCUMENTS.glob("*.json"))]
OWN = [document(rich(topology=each)) for each in ("pipeline", "workflow", "team")]
REFERENCES = st.sampled_from(
    ("triage", "desk", "model", "flow", "a", "find", "x", "agent.triage.triage", "node.triage")
).map(lambda key: {"$component_ref": key})
TYPES = st.sampled_from(
    ("Swarm", "Agent", "Flow", "AgentNode", "MCPTool", "RemoteTool", "MCPToolBox")
)
JUNK = VALUES | REFERENCES | TYPES | st.lists(REFERENCES, max_size=2)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from places(each, (*path, index))


PLACES = [list(places(each)) for each in FOREIGN + OWN]


def with_value(value: Any, path: tuple[Any, ...], part: object) -> Any:
    changed = inner = copy.deepcopy(value)
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = part
    return changed


@settings(max_examples=150)
@given(st.integers(0, len(PLACES) - 1), st.integers(0, 10_000), JUNK)
def test_a_wrong_value_anywhere_is_a_loss_or_a_definition_error(
    number: int, place: int, part: object
) -> None:
    path = PLACES[number][place % len(PLACES[number])]
    try:
        result = read(json.dumps(with_value((FOREIGN + OWN)[number], path, part)), "agent-spec")
    except DefinitionError:
        return
    check = load_storable if number < len(FOREIGN) else load
    check(result.definition.dump())


@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_any_object_is_read_or_refused(value: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        read(json.dumps(value | {"agentspec_version": "25.4.2"}), "agent-spec")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "document is an object"),
        ('{"agentspec_version": "25.4.2"}', "no agent"),
        ('{"component_type": "Swarm", "first_agent": {"$component_ref": "x"}}', "no agent"),
        ("component_type: Swarm\nfirst_agent: &a [*a]", "alias"),
        ('{"component_type": "Agent", "tools": ' + "[" * 100 + "]" * 100 + "}", "nested"),
        (json.dumps(AGENT | {"tools": [{}] * 100_001}), "values"),
    ],
)
def test_a_document_without_an_agent_or_beyond_a_limit_is_refused(text: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        read(text, "agent-spec")


@pytest.mark.parametrize("version", ["99.1.0", 3])
def test_an_unknown_version_is_read_and_reported(version: object) -> None:
    result = read(json.dumps(AGENT | {"agentspec_version": version}))
    assert [row.places for row in result.losses] == [("$.agentspec_version",)]


@pytest.mark.parametrize("field", ["agentspec_version", "air_version"])
def test_known_versions_are_read_without_a_report(field: str) -> None:
    for version in ("25.3.0", "25.4.1", "26.1.0", "26.3.1"):
        assert not read(json.dumps(AGENT | {field: version})).losses


@pytest.mark.timeout(60)  # names that are compared with all earlier ones take minutes
def test_thousands_of_equal_names_are_read() -> None:
    tools = [
        {"component_type": "ServerTool", "name": "find", "description": str(number)}
        for number in range(20_000)
    ]
    with pytest.raises(DefinitionError, match="500 entries"):
        read(json.dumps(AGENT | {"tools": tools}))
