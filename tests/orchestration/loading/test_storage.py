"""Definitions that a database cannot store, with the paths in the file."""

from orchestration.loading import load, load_storable
from tests.orchestration.pipeline_files import faults, file


def test_duplicates_and_missing_references_are_refused_with_their_path() -> None:
    text = file(
        entry="lobby",
        default_agent_id="ghost",
        supervisor_id="ghost",
        agents=[{"id": "b", "name": "B"}, {"id": "a", "name": "A"}, {"id": "b", "name": "Bee"}],
        stages=[
            {"phase": "z", "agent_id": "ghost"},
            {"phase": "desk", "kind": "human", "agent_id": "a"},
            {"phase": "a", "agent_id": "a"},
            {"phase": "z", "agent_id": "b"},
        ],
        transitions=[
            {"source": "z", "target": "attic"},
            {"source": "a", "target": "desk", "kind": "return"},
            {"source": "a", "target": "z"},
            {"source": "a", "target": "z", "kind": "return"},
            {"source": "a", "target": "desk"},
        ],
        rules=[
            {"id": "r", "agent_id": "ghost", "priority": 5},
            {"id": "r", "agent_id": "a", "priority": 1},
        ],
        tools=[{"name": "u"}, {"name": "t"}, {"name": "u"}],
        layout={"stages": {"attic": {"x": 1, "y": 1}}, "hues": {"ghost": 1}},
    )
    assert load(text).entry == "lobby"
    result = faults(text, by=load_storable)
    assert set(result) == {
        "$.agents[2].id",
        "$.stages[3].phase",
        "$.tools[2].name",
        "$.rules[0].id",
        "$.transitions[1]",
        "$.transitions[3]",
        "$.transitions[2].kind",
        "$.transitions[0].target",
        "$.stages[0].agent_id",
        "$.stages[1].agent_id",
        "$.rules[0].agent_id",
        "$.supervisor_id",
        "$.default_agent_id",
        "$.entry",
        "$.layout.stages.attic",
        "$.layout.hues.ghost",
    }
    assert result["$.agents[2].id"] == "More than one agent has the id 'b': give each its own."


def test_invalid_groups_and_notes_are_refused() -> None:
    text = file(
        agents=[{"id": "a", "name": "A"}],
        stages=[
            {"phase": "z", "kind": "group", "group": {"agents": ["a"]}, "agent_id": "a"},
            {"phase": "y", "kind": "human", "group": {"agents": ["a"]}},
            {"phase": "x", "kind": "group", "group": {"agents": ["ghost"]}},
        ],
        layout={
            "notes": [
                {"id": "n", "text": "One", "x": 1, "y": 2},
                {"id": "m", "text": "Two", "x": 1, "y": 2},
                {"id": "n", "text": "Three", "x": 1, "y": 2},
            ]
        },
    )
    assert load(text).stages_by_phase["x"].agent_ids == ("ghost",)
    assert set(faults(text, by=load_storable)) == {
        "$.stages[0].agent_id",
        "$.stages[1].group",
        "$.layout.notes[2].id",
    }


def test_frames_with_shared_ids_or_stages_or_unknown_stages_are_refused() -> None:
    text = file(
        stages=[{"phase": "a"}, {"phase": "b"}],
        layout={
            "frames": [
                {"id": "z", "title": "Last", "stages": ["b", "a"]},
                {"id": "f", "title": "First", "stages": ["a"]},
                {"id": "f", "title": "Again", "stages": ["ghost"]},
            ]
        },
    )
    assert [frame.id for frame in load(text).layout.frames] == ["f", "f", "z"]
    result = faults(text, by=load_storable)
    assert set(result) == {
        "$.layout.frames[0].stages",
        "$.layout.frames[2].id",
        "$.layout.frames[2].stages",
    }
    assert "in the frames 'f' and 'z'" in result["$.layout.frames[0].stages"]


def test_a_frame_without_stages_is_refused() -> None:
    text = file(layout={"frames": [{"id": "f", "title": "Empty", "stages": []}]})
    assert set(faults(text)) == {"$.layout.frames[0].stages"}


def test_a_group_keeps_its_members_in_the_order_of_registration() -> None:
    group = {
        "agents": ["b", "a", "b"],
        "parallel": False,
        "dependencies": {"b": [], "a": ["b", "b"]},
    }
    stage = load(file(stages=[{"phase": "s", "kind": "group", "group": group}])).stages[0]
    assert stage.group is not None
    assert stage.group.agents == stage.agent_ids == ("b", "a")
    assert list(stage.group.dependencies.items()) == [("a", ("b",)), ("b", ())]
    empty = {"phase": "s", "kind": "group", "group": {"agents": []}}
    assert faults(file(stages=[empty])) == {"$.stages[0].group.agents": "This must not be empty."}


def test_a_draft_may_have_issues_and_still_be_stored() -> None:
    draft = file(
        stages=[{"phase": "a"}],
        agents=[{"id": "b", "name": "B", "tools": ["missing"]}],
        aliases={"x": "nobody"},
    )
    assert load_storable(draft).stages[0].phase == "a"
