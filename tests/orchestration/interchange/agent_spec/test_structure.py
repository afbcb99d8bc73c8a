"""Structure of a document: the stages that are a part of it, and their pairs."""

from __future__ import annotations

from orchestration.definition import PipelineDefinition
from orchestration.interchange.agent_spec.structure import structure_of
from tests.orchestration.interchange.agent_spec.rich import rich
from tests.orchestration.sound_pipeline import team, workflow


def test_a_swarm_passes_over_a_group_and_leaves_out_a_person() -> None:
    structure = structure_of(rich())
    assert (structure.kind, structure.first) == ("Swarm", "triage")
    assert ("expert", "later") in structure.pairs  # through the group
    assert structure.phases == ("billing", "expert", "later", "triage")


def test_groups_that_lead_to_each_other_lead_nowhere() -> None:
    stages = [
        {"phase": "a", "agent_id": "triage"},
        {"phase": "b", "agent_id": "billing"},
        {"phase": "g", "kind": "group"},
        {"phase": "h", "kind": "group"},
    ]
    ways = [("a", "b"), ("a", "g"), ("g", "h"), ("h", "g")]
    transitions = [
        {
            "source": source,
            "target": target,
            "kind": "next" if (source, target) != ways[1] else "return",
        }
        for source, target in ways
    ]
    assert structure_of(rich(stages=stages, transitions=transitions)).pairs == (("a", "b"),)


def test_a_transition_to_its_own_stage_is_no_pair() -> None:
    way = {"source": "triage", "target": "triage"}
    structure = structure_of(rich(transitions=[way]))
    assert (structure.kind, structure.pairs) == ("Agent", ())


def test_only_the_workers_of_the_entry_are_in_a_team() -> None:
    ways = [{"source": "intake", "target": "handling"}, {"source": "handling", "target": "review"}]
    structure = structure_of(team(transitions=ways))
    assert structure.pairs == (("intake", "handling"),)
    assert structure.phases == ("handling", "intake")


def test_a_workflow_is_the_chain_from_the_entry() -> None:
    structure = structure_of(workflow(entry="handling"))
    assert (structure.first, structure.pairs) == ("handling", (("handling", "review"),))
    assert structure_of(PipelineDefinition(name="-", topology="workflow")).kind == "empty"


def test_an_entry_without_a_handoff_is_the_only_agent() -> None:
    structure = structure_of(
        rich(entry="expert", transitions=[{"source": "triage", "target": "billing"}])
    )
    assert (structure.kind, structure.phases) == ("Agent", ("expert",))
