"""Rows of the outline."""

from designer.editor.fragments.outline import (
    agent_names,
    new_rows,
    outline,
    outline_rows,
    reading_order,
)
from orchestration.definition import Group, Stage, Transition
from tests.designer.editor_requests import chain


def branching(*pairs: str, entry: str = "a"):
    """Return a pipeline of transitions such as `ab`; `ab<` is a return."""
    definition = chain("a", "b", "c", "d", entry=entry)
    transitions = tuple(
        Transition(source=pair[0], target=pair[1], kind="return" if "<" in pair else "next")
        for pair in pairs
    )
    return definition.model_copy(update={"transitions": transitions})


def test_stages_are_read_from_the_entry_with_next_transitions_first():
    assert reading_order(branching("cb<", "cd", "ba", entry="c")) == ["c", "d", "b", "a"]
    assert reading_order(branching("ab", "ba<")) == ["a", "b", "c", "d"]


def test_an_unknown_entry_does_not_hide_stages():
    assert reading_order(branching(entry="gone")) == ["a", "b", "c", "d"]


def test_a_row_lists_next_and_return_transitions():
    [row] = outline_rows(branching("ab", "ac<", "ad<"), ["a", "gone"])
    assert [edge.target for edge in row.next] == ["b"]
    assert [edge.key for edge in row.returns] == ["a>c", "a>d"]
    assert (row.is_entry, row.card_id, row.dom_id) == (True, "stage-a", "outline-a")


def test_a_row_names_the_agent_group_or_human():
    definition = chain("a", "b")
    group = Group(agents=("agent-a", "ghost"))
    stages = (
        *definition.stages,
        Stage(phase="c", kind="group", group=group),
        Stage(phase="d", kind="human"),
        Stage(phase="e"),
    )
    definition = definition.model_copy(update={"stages": stages})
    rows = outline_rows(definition, definition.stages_by_phase)
    assert [row.served_by for row in rows] == ["A", "B", "the group of A, ghost", "the human", ""]


def test_a_new_row_follows_its_predecessor():
    places = [(place, row.phase) for place, row in new_rows(branching("ab", "bc"), ["c", "a"])]
    assert places == [("", "a"), ("outline-b", "c")]


def test_the_outline_suggests_the_names_of_agents():
    definition = chain("a", "b")
    assert outline(definition)["outline_agents"] == agent_names(definition.agents)
    assert agent_names(definition.agents[:1]) == [("outline-name-agent-a", "A")]
