"""Support of the parts of a definition: what the tree of agents keeps of them."""

from __future__ import annotations

from orchestration.interchange import Loss, export
from tests.orchestration.interchange.adk.exported import kept
from tests.orchestration.sound_pipeline import SOUND, sound, team, with_more, workflow


def test_only_transitions_along_the_tree_are_native() -> None:
    more = [
        {"source": "handling", "target": "desk", "kind": "return"},
        {"source": "desk", "target": "intake"},
    ]
    report = kept(with_more("transitions", *more))
    transitions = {place: how for (part, place), how in report.items() if part == "Transitions"}
    assert transitions == {
        "intake → handling": "native",
        "handling → review": "native",
        "handling → desk": "native",  # a shorter way than by the review
        "review → handling": "native",  # to the parent
        "review → desk": "native",  # to a sibling
        "desk → intake": "metadata",
    }


def test_a_loop_of_a_workflow_is_lost() -> None:
    loop = [*workflow().model_dump()["transitions"], {"source": "desk", "target": "intake"}]
    report = kept(workflow(transitions=loop))
    assert report["Transitions", "desk → intake"] == "lost"
    assert report["Transitions", "review → desk"] == "native"


def test_parts_outside_of_the_tree_are_lost() -> None:
    stages = [
        *SOUND["stages"],
        {"phase": "island", "agent_id": "watcher"},
        {"phase": "pool", "kind": "group", "group": {"agents": ["watcher"]}},
    ]
    report = kept(sound(stages=stages))
    assert report["Agent stages", "island"] == report["Groups", "pool"] == "lost"
    assert report["Agent stages", "review"] == "native"
    assert (report["Agents", "watcher"], report["Agents", "triage"]) == ("lost", "native")


def test_an_entry_without_a_stage_is_lost() -> None:
    assert kept(sound(entry="gone"))["Entry", "gone"] == "lost"
    assert kept(sound())["Entry", "intake"] == "native"


def test_a_transition_that_nobody_can_take_makes_no_difference() -> None:
    ways = [*team().model_dump()["transitions"], {"source": "review", "target": "handling"}]
    place = "review → handling"
    rows = [row for row in export(team(transitions=ways), "adk").rows if place in row.places]
    assert {row.part: (row.kept, row.differs) for row in rows} == {
        "Transitions": ("lost", False),
        "Next, branch, return": ("lost", False),
    }


def row_of_settings(**settings: object) -> Loss:
    """The row of the settings of one agent."""
    definition = sound(agents=[{"id": "triage", "name": "T", **settings}])
    (row,) = [row for row in export(definition, "adk").rows if row.part == "Model settings"]
    return row


def test_only_settings_without_a_counterpart_make_a_difference() -> None:
    assert not row_of_settings(temperature=0.5, max_output_tokens=9).differs
    assert row_of_settings(temperature=0.5, provider="openai").differs
    assert row_of_settings(reasoning_effort="low").differs
    assert row_of_settings(tool_choice="required").differs
