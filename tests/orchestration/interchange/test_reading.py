"""Building a definition from a foreign document."""

from __future__ import annotations

import pytest

from orchestration.exceptions import DefinitionError
from orchestration.interchange.reading import Reading, shown


def test_names_become_distinct_keys_and_long_texts_become_losses() -> None:
    reading = Reading("other")
    keys = [
        reading.key("agent", name) for name in ("Billing Desk", "billing desk", "human", "请求")
    ]
    assert keys == ["billing-desk", "billing-desk-2", "human-2", "agent"]
    assert reading.tool_name("find invoice!", "$.tools[0]") == "find_invoice"
    assert reading.tool_name("2nd", "$.tools[1]") == "tool_2nd"
    assert reading.line("x" * 600, "$.a") == "x" * 500
    assert [each.places for each in reading.rows] == [("$.tools[0]",), ("$.tools[1]",), ("$.a",)]


def test_an_import_has_its_parts_and_losses() -> None:
    reading = Reading("other")
    reading.fields["agents"].append({"id": "a", "name": "A"})
    reading.keep("Agents", "a")
    reading.lose("Hooks", "$.agents[0].hooks", "left out", "The hooks do not run.")
    result = reading.finish("Desk")
    assert [each.id for each in result.definition.agents] == ["a"]
    assert (result.same, result.total, result.loses) == (1, 2, True)


def test_an_export_keeps_its_keys_unless_they_are_taken_or_invalid() -> None:
    reading = Reading("other")
    assert reading.claim("agent", "human")
    assert not reading.claim("agent", "human")
    assert reading.key("agent", "human") == "human-2"
    assert [reading.claim("stage", each) for each in ("a", "a", "No key", 3)] == [
        True,
        False,
        False,
        False,
    ]
    assert [reading.claim("tool", each) for each in ("Find-2", "2nd")] == [True, False]
    assert reading.finish("Desk", allow_empty=True).definition.agents == ()


def test_a_document_without_an_agent_is_refused() -> None:
    with pytest.raises(DefinitionError, match="no agent"):
        Reading("other").finish("Desk")


def test_a_foreign_value_is_shown_on_one_short_line() -> None:
    assert shown("a\n\u202eb") == "a b"
    assert len(shown("x" * 100)) == 60
