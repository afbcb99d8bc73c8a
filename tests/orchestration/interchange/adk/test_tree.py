"""The tree of agents, its names and its limits."""

from __future__ import annotations

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange.adk.tree import agent_tree
from tests.orchestration.interchange.adk.exported import files_of, kept
from tests.orchestration.sound_pipeline import sound, with_more, workflow


def test_a_stage_hangs_on_the_first_stage_that_leads_to_it() -> None:
    more = {"source": "handling", "target": "desk", "kind": "return"}
    tree = agent_tree(with_more("transitions", more))
    assert tree.parents == {"handling": "intake", "review": "handling", "desk": "handling"}
    assert tree.depths == {"intake": 0, "handling": 1, "review": 2, "desk": 2}
    assert tree.with_siblings == {"review"}
    assert tree.is_native("review", "desk")  # a sibling
    assert not tree.is_native("desk", "review")
    assert not tree.is_native("intake", "review")  # two levels


def test_one_stage_follows_a_group_and_nobody_transfers_back_to_it() -> None:
    stages = [
        {"phase": "checks", "kind": "group", "group": {"agents": ["triage", "handler"]}},
        {"phase": "desk", "kind": "human"},
        {"phase": "review", "agent_id": "reviewer"},
    ]
    ways = [
        {"source": "checks", "target": "desk"},
        {"source": "checks", "target": "review"},
        {"source": "desk", "target": "checks", "kind": "return"},
    ]
    tree = agent_tree(sound(stages=stages, transitions=ways, entry="checks"))
    assert tree.children == {"checks": ["desk"], "desk": []}
    assert tree.parents == {}
    assert not tree.is_native("desk", "checks")


def test_agents_have_distinct_names_that_no_other_file_has() -> None:
    group = {"agents": ["triage"]}
    stages = [
        {"phase": "workflow", "agent_id": "handler"},
        {"phase": "tools", "kind": "group", "group": group},
        {"phase": "tools-triage", "agent_id": "handler"},
    ]
    assert agent_tree(sound(stages=stages)).names == {
        "workflow": "workflow_2",
        "tools": "tools_2",
        "tools-triage": "tools_triage",
        "tools/triage": "tools_triage_2",
    }


@pytest.mark.parametrize("back_to", ["intake", "review"])
def test_the_chain_of_a_workflow_ends_before_a_repetition(back_to: str) -> None:
    ways = [*workflow().model_dump()["transitions"], {"source": "desk", "target": back_to}]
    chain = agent_tree(workflow(transitions=ways)).chain()
    assert chain == ["intake", "handling", "review", "desk"]


def test_a_tree_without_its_entry_begins_with_the_first_stage() -> None:
    tree = agent_tree(sound(entry="gone"))
    assert tree.root == sound().stages[0]
    empty = agent_tree(PipelineDefinition(name="Empty"))
    assert (empty.root, empty.children, empty.chain()) == (None, {}, [])


def test_a_long_chain_is_cut_where_adk_would_fail_and_kept_in_the_graph() -> None:
    numbers = range(200)
    chain_of_stages = sound(
        agents=[{"id": "triage", "name": "T"}],
        stages=[{"phase": f"s{n}", "agent_id": "triage"} for n in numbers],
        transitions=[{"source": f"s{n}", "target": f"s{n + 1}"} for n in numbers[:-1]],
        entry="s0",
        rules=[],
        supervisor_id=None,
    )
    files, report = files_of(chain_of_stages), kept(chain_of_stages)
    assert "s150.yaml" in files
    assert "s151.yaml" not in files
    assert (report["Agent stages", "s150"], report["Agent stages", "s151"]) == ("native", "lost")
    assert report["Transitions", "s150 → s151"] == "metadata"
    assert len(files["workflow.yaml"]["edges"]) == 200
