"""Data of Baton in the metadata of components."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from orchestration.interchange.agent_spec.metadata import data_of, escaped, metadata, unescaped
from tests.orchestration.interchange.agent_spec.hostile import VALUES


@given(VALUES)
def test_any_value_comes_back_and_has_no_key_of_a_reference(value: Any) -> None:
    written = escaped({"a": value})
    assert unescaped(written) == {"a": value}
    assert not _keys(written) & {"$component_ref", "$referenced_components"}


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in _keys(each)}
    return {key for each in value for key in _keys(each)} if isinstance(value, list) else set()


def test_a_component_without_data_has_no_metadata() -> None:
    assert metadata(agent={}, stage=None) == {}
    assert data_of(metadata(agent={"id": "a"})) == {"agent": {"id": "a"}}
    assert data_of({"metadata": None}) == data_of({"metadata": {"baton": 3}}) == {}
