"""Types of values in a definition."""

import pytest
from pydantic import ValidationError

from orchestration.definition import Stage
from orchestration.definition.values import by_key, distinct, unique


@pytest.mark.parametrize("key", ["", "-a", "a-", "A", "a b", "ä", "a" * 65, "a\n"])
def test_an_invalid_key_is_refused(key: str) -> None:
    with pytest.raises(ValidationError):
        Stage(phase=key)


@pytest.mark.parametrize("key", ["a", "agent-triage", "x_1", "0", "a" * 64])
def test_a_slug_of_up_to_64_characters_is_a_key(key: str) -> None:
    assert Stage(phase=key).phase == key


def test_names_are_distinct_in_alphabetical_or_original_order():
    assert distinct(["b", "a", "b"]) == ("a", "b")
    assert unique(["b", "a", "b"]) == ("b", "a")
    assert list(by_key({"b": 1, "a": 2})) == ["a", "b"]


def test_an_unknown_field_is_refused():
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Stage.model_validate({"phase": "a", "colour": "red"})
