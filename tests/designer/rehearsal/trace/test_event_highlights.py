"""The effect of an event on the canvas."""

from msgspec import structs

from designer.rehearsal.trace.canvas_highlight import (
    highlights,
)
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import rendered, whole_story
from tests.designer.rehearsal.trace.event_stories import trace_state as story_state


def test_a_refused_handoff_says_why_and_flashes_its_edge():
    html = rendered(whole_story()[10])
    assert "refused · <bdi>no way</bdi>" in html
    assert 'data-refused="edge-intake--resolution"' in html


def test_a_pause_before_a_handoff_marks_its_edge_or_else_its_stage():
    paused = next(one for one in whole_story() if isinstance(one, e.RunPaused))
    drawn = structs.replace(paused, ahead="handoff", to_phase="handling")
    beside = structs.replace(paused, ahead="handoff", to_phase="resolution")
    found = [light for _, light in highlights([drawn, beside], story_state())]
    assert found == [{"paused": "edge-intake--handling"}, {"paused": "stage-intake"}]
