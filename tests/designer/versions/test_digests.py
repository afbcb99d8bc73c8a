"""Digests of the behaviour of definitions."""

import re

import pytest

from designer.versions.digests import behaviour_digest
from orchestration.definition import Layout, Tool
from tests.designer.editor_requests import chain

DEFINITION = chain("intake", "review")


def test_the_layout_does_not_count():
    assert behaviour_digest(DEFINITION.model_copy(update={"layout": Layout()})) == behaviour_digest(
        DEFINITION
    )
    assert re.fullmatch("[0-9a-f]{64}", behaviour_digest(DEFINITION))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Another"},
        {"entry": "review"},
        {"transitions": ()},
        {"agents": DEFINITION.agents[::-1]},
    ],
)
def test_every_other_change_counts(changes):
    assert behaviour_digest(DEFINITION.model_copy(update=changes)) != behaviour_digest(DEFINITION)


def test_the_order_of_keys_does_not_count():
    first, second = (
        DEFINITION.model_copy(update={"tools": (Tool(name="look_up", parameters=parameters),)})
        for parameters in ({"type": "object", "title": "ä"}, {"title": "ä", "type": "object"})
    )
    assert list(first.tools[0].parameters) != list(second.tools[0].parameters)
    assert behaviour_digest(first) == behaviour_digest(second)
