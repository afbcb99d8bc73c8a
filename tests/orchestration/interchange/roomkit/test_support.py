"""Support of the parts of a definition: what a room keeps of them."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import export
from tests.orchestration.interchange.roomkit.exported import calls, kept
from tests.orchestration.sound_pipeline import sound, workflow


def test_a_supervisor_that_is_never_called_is_left_out() -> None:
    definition = sound(supervision={"ask_at": ["handoff"]})
    (pipeline,) = calls(definition, "ConversationPipeline")
    assert pipeline["supervisor_id"] == "watcher"
    assert kept(definition)["Supervisor", "watcher"] == "native"
    (pipeline,) = calls(sound(), "ConversationPipeline")
    assert "supervisor_id" not in pipeline
    assert kept(sound())["Supervisor", "watcher"] == "lost"


@pytest.mark.parametrize(
    ("changes", "part", "place"),
    [
        ({"default_agent_id": "gone"}, "Default agent", "gone"),
        ({"supervisor_id": "gone"}, "Supervisor", "gone"),
        ({"entry": "gone"}, "Entry", "gone"),
        ({"rules": [{"id": "triage", "agent_id": "gone"}]}, "Routing rules", "triage"),
        ({"stages": [{"phase": "intake", "agent_id": "gone"}]}, "Agent stages", "intake"),
        (
            {"stages": [{"phase": "pool", "kind": "group", "group": {"agents": ["gone"]}}]},
            "Groups",
            "pool",
        ),
    ],
)
def test_a_reference_to_nothing_is_lost(changes: dict[str, Any], part: str, place: str) -> None:
    rows = [row for row in export(sound(**changes), "roomkit").rows if row.part == part]
    (row,) = [row for row in rows if place in row.places]
    assert (row.kept, row.differs) == ("lost", True)


def test_parts_that_exist_are_native() -> None:
    report = kept(sound(default_agent_id="reviewer"))
    assert report["Default agent", "reviewer"] == report["Entry", "intake"] == "native"
    assert report["Routing rules", "billing"] == report["Agent stages", "intake"] == "native"


def test_a_transition_that_nobody_can_take_makes_no_difference() -> None:
    branch = {"source": "review", "target": "handling", "kind": "return", "description": "Again."}
    ways = [*workflow().model_dump()["transitions"], branch]
    place = "review → handling"
    rows = [r for r in export(workflow(transitions=ways), "roomkit").rows if place in r.places]
    assert {row.part: (row.kept, row.differs) for row in rows} == {
        "Transitions": ("lost", False),
        "Next, branch, return": ("lost", False),
        "Description of a transition": ("lost", False),
    }
