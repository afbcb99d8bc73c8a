"""Columns of the parts of a definition."""

from __future__ import annotations

import pytest

from designer.definitions.columns import AGENT, FRAME, NOTE, RULE, STAGE, TOOL, TRANSITION
from orchestration.definition import Agent, Cue, Tool

TABLES = [AGENT, FRAME, NOTE, RULE, STAGE, TOOL, TRANSITION]


@pytest.mark.parametrize("columns", TABLES, ids=lambda columns: columns.part.__name__)
def test_each_field_has_a_column_that_an_insert_or_an_update_sets(columns):
    set_columns = {*columns.updated, *columns.unique}
    for name, lookup in columns.lookups.items():
        assert lookup.partition("__")[0] in set_columns, name


@pytest.mark.parametrize("columns", TABLES, ids=lambda columns: columns.part.__name__)
def test_an_update_keeps_the_columns_that_store_no_field_of_the_part(columns):
    layout = {"hue", "x", "y", "frame"} - columns.part.model_fields.keys()
    assert not layout & {*columns.updated}


def test_an_absent_value_is_stored_as_an_empty_text_where_the_column_requires_one():
    agent = Agent(id="a", name="A")
    stored = AGENT.stored(agent)
    assert stored["fallback"] == stored["reasoning_effort"] == ""
    assert stored["temperature"] is None
    assert stored["key"] == "a"
    assert Agent(**AGENT.values(stored)) == agent
    assert TOOL.stored(Tool(name="t"))["pipeline_name"] == ""


def test_nested_parts_are_stored_without_their_default_values():
    agent = Agent(id="a", name="A", tools=("search",), cues=(Cue(say="Yes"),))
    stored = AGENT.stored(agent)
    assert stored["tools"] == ["search"]
    assert stored["cues"] == [{"say": "Yes"}]
