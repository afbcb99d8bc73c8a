"""Entries of the events of supervision: pauses, notes, the human, and feedback."""

from msgspec import structs

from designer.rehearsal.trace.canvas_highlight import highlights
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import trace_state, whole_story


def test_a_pause_before_a_handoff_marks_its_edge_or_else_its_stage():
    paused = next(one for one in whole_story() if isinstance(one, e.RunPaused))
    drawn = structs.replace(paused, ahead="handoff", to_phase="handling")
    beside = structs.replace(paused, ahead="handoff", to_phase="resolution")
    found = [light for _, light in highlights([drawn, beside], trace_state())]
    assert found == [{"paused": "edge-intake--handling"}, {"paused": "stage-intake"}]
