"""Immutable JSON values in the metadata of a state."""

import copy
import json
import pickle
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from orchestration.state import ConversationState
from orchestration.state.frozen_json import freeze_object
from tests.orchestration.state.nested_metadata import nested


def changes_of(data: Any) -> list[Any]:
    """Return an attempt to change each object and list in metadata, at every depth."""
    lines = data["order"]["lines"]
    return [
        lambda: data.update(tags=[]),
        lambda: data.pop("tags"),
        lambda: data.__setitem__("tags", []),
        lambda: data.__ior__({"tags": []}),
        lambda: data["tags"].append("angry"),
        lambda: data["tags"].__iadd__(["angry"]),
        lambda: data["order"].setdefault("paid", True),
        lines.sort,
        lambda: lines[0].__delitem__("id"),
        lines[0].clear,
    ]


@pytest.mark.parametrize("stored", [False, True])
def test_metadata_are_frozen_at_every_depth(stored):
    """Contract O-1: also after the state was read from JSON."""
    state = ConversationState().transition("handling", "agent-a", metadata=nested())
    if stored:
        state = ConversationState.from_json(state.to_json())
    for change in changes_of(state.phase_history[0].metadata):
        with pytest.raises(TypeError, match="immutable"):
            change()
    assert state.phase_history[0].metadata == nested()


def test_metadata_without_entries_are_frozen_too():
    """Contract O-1."""
    (step,) = ConversationState().transition("handling").phase_history
    with pytest.raises(TypeError, match="immutable"):
        step.metadata["order"] = 7  # type: ignore[index]


def test_metadata_have_the_values_of_their_json():
    """Contract O-1: so that the JSON round trip is exact."""
    data = {"at": datetime(2026, 1, 2, tzinfo=UTC), "pair": (1, MappingProxyType({"a": 2}))}
    (step,) = ConversationState().transition("handling", metadata=data).phase_history
    assert step.metadata == {"at": "2026-01-02T00:00:00Z", "pair": [1, {"a": 2}]}
    assert json.loads(json.dumps(step.metadata)) == step.metadata


@pytest.mark.parametrize("value", [object(), "\ud800", {(1, 2): 3}])
def test_metadata_without_json_form_are_refused(value):
    """Contract O-1."""
    with pytest.raises(ValueError, match="no JSON form"):
        ConversationState().transition("handling", metadata={"value": value})


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_state_and_its_metadata_can_be_copied_and_pickled(copied):
    """Contract O-1."""
    state = ConversationState().transition("handling", metadata=nested())
    metadata = state.phase_history[0].metadata
    assert (copied(state), copied(metadata)) == (state, metadata)
    for frozen in (copied(state).phase_history[0].metadata, copied(metadata)):
        for change in changes_of(frozen):
            with pytest.raises(TypeError, match="immutable"):
                change()


@pytest.mark.parametrize(
    ("part", "method", "arguments"),
    [
        ("object", "clear", ()),
        ("object", "popitem", ()),
        ("object", "__setitem__", ("a", 2)),
        ("object", "__delitem__", ("a",)),
        ("list", "clear", ()),
        ("list", "extend", ([3],)),
        ("list", "insert", (0, 3)),
        ("list", "pop", ()),
        ("list", "remove", (1,)),
        ("list", "reverse", ()),
        ("list", "__setitem__", (0, 3)),
        ("list", "__delitem__", (0,)),
        ("list", "__imul__", (2,)),
    ],
)
def test_every_change_of_a_frozen_list_or_object_is_refused(part, method, arguments):
    frozen = freeze_object({"object": {"a": 1}, "list": [2, 1]})
    with pytest.raises(TypeError, match="immutable"):
        getattr(frozen[part], method)(*arguments)
    assert frozen == {"object": {"a": 1}, "list": [2, 1]}
