"""Highlighted parts of the canvas."""

import json
from itertools import pairwise

import pytest
from msgspec import structs

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.canvas_highlight import (
    HIGHLIGHT_TYPES,
    Canvas,
    highlights,
    track,
)
from designer.rehearsal.trace.events import render_panes
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import trace_state as story_state
from tests.designer.rehearsal.trace.event_stories import whole_story
from tests.designer.rehearsal.trace.sample_traces import DIALOGUES, pipeline_for, trace_of
from tests.orchestration.sample_rehearsals import sample


def trace_state(name: str) -> TraceState:
    return TraceState.of(Names.of(sample(name)), pipeline_for)


def folded(found) -> Canvas:
    canvas = Canvas()
    for light in found:
        canvas.apply(light)
    return canvas


@pytest.mark.parametrize("name", DIALOGUES)
async def test_the_highlights_of_a_canvas_reproduce_it(name):
    trace = await trace_of(name)
    for cut in range(1, len(trace) + 1, 5):
        whole = folded(light for _, light in highlights(trace[:cut], trace_state(name)))
        again = Canvas()
        for light in whole.highlights():
            for _ in range(int(light.get("count", 1))):
                again.apply(light)
        assert again == whole


@pytest.mark.parametrize("name", DIALOGUES)
async def test_only_the_required_events_have_an_effect_on_the_canvas(name):
    trace = await trace_of(name)
    needed = [event for event in trace if event.type in HIGHLIGHT_TYPES]
    assert track(needed, trace_state(name)) == track(trace, trace_state(name))
    assert {event.type for event, _ in highlights(trace, trace_state(name))} <= set(HIGHLIGHT_TYPES)


async def test_the_track_leads_from_the_first_moment_to_the_last():
    trace = await trace_of("coding")
    steps = json.loads(track(trace, trace_state("coding")))
    assert all(one[0] < two[0] and one[1] <= two[1] for one, two in pairwise(steps))
    whole = folded(light for _, light in highlights(trace, trace_state("coding")))
    assert folded(light for _, _, light in steps) == whole


def test_a_rejection_is_counted_and_a_pause_lasts_until_the_run_continues():
    story = whole_story()
    found = list(highlights(story, story_state()))
    upto = {event.seq: light for event, light in found}
    canvas = folded(upto.values())
    assert canvas.refused == {("edge-intake--resolution", "stage-resolution"): 1}
    paused = next(event for event in story if isinstance(event, e.RunPaused))
    before = folded(light for seq, light in upto.items() if seq <= paused.seq)
    assert before.paused == "stage-intake"
    resumed = next(event for event in story if isinstance(event, e.RunResumed))
    assert folded(light for seq, light in upto.items() if seq <= resumed.seq).paused == ""
    assert canvas.paused == ""


def test_a_pause_moves_with_a_handoff_during_it_unless_it_asks_for_an_approval():
    paused: list[dict[str, str]] = [{"active": "a"}, {"paused": "a"}, {"active": "b"}]
    assert folded(paused).paused == "b"
    assert folded([*paused, {"resumed": "yes"}, {"active": "a"}]).paused == ""
    asking = [{"active": "a"}, {"paused": "a", "approval": "yes"}, {"active": "b"}]
    assert folded(asking).paused == "a"


def test_a_human_without_a_stage_takes_over_the_previous_stage():
    accepted = next(event for event in whole_story() if isinstance(event, e.HandoffAccepted))
    stage = accepted.from_phase
    given = structs.replace(accepted, to_agent=None, to_phase="nowhere")
    entered = e.PhaseChanged(
        *structs.astuple(accepted)[:6], from_phase=stage, to_phase="nowhere", reason=""
    )
    back = structs.replace(accepted, from_phase="nowhere", to_phase=stage)
    answered = structs.replace(entered, phase="nowhere")
    found = [light for _, light in highlights([given, entered, answered], story_state())]
    canvas = folded(found)
    assert (canvas.active, canvas.taken) == (f"stage-{stage}", {f"stage-{stage}": 1})
    assert not canvas.traversed
    assert not canvas.beside
    found += [light for _, light in highlights([back], story_state())]
    assert folded(found).active == f"stage-{stage}"
    assert folded(found).traversed == {}


def test_every_highlight_of_the_page_is_one_of_the_trace():
    html = render_panes(whole_story(), story_state())["lights"]
    assert html.count("<li") == len(list(highlights(whole_story(), story_state())))


def test_a_handoff_without_a_transition_and_a_takeover_leave_marks():
    story = whole_story()
    accepted = next(event for event in story if isinstance(event, e.HandoffAccepted))
    source, target = accepted.to_phase, accepted.from_phase
    forced = structs.replace(accepted, from_phase=source, to_phase=target, forced=True)
    taken = structs.replace(accepted, to_phase=source, from_phase=source, to_agent=None)
    found = [light for _, light in highlights([accepted, forced, forced, taken], story_state())]
    canvas = folded(found)
    edge = f"edge-{source}--{target}"
    assert canvas.beside == {edge: f"{source} {target}"}
    assert canvas.traversed[edge] == (2, "handoff")
    assert canvas.taken == {f"stage-{source}": 1}
    again = Canvas()
    for light in canvas.highlights():
        for _ in range(int(light.get("count", 1))):
            again.apply(light)
    assert again == canvas


def test_a_human_has_the_conversation_from_the_handoff_to_the_hand_back():
    story = whole_story()
    accepted = next(event for event in story if isinstance(event, e.HandoffAccepted))
    given = structs.replace(accepted, to_agent=None, to_phase=accepted.from_phase)
    ended = next(
        event
        for event in story
        if isinstance(event, e.RunCompleted) and event.reason == e.StopReason.WAITING_FOR_HUMAN
    )
    joined = next(event for event in story if isinstance(event, e.HumanJoined))
    left = next(event for event in story if isinstance(event, e.HumanLeft))
    held: list[e.Event] = [given, ended, joined, left, joined, accepted]
    found = [light for _, light in highlights(held, story_state())]
    has_it = [folded(found[: count + 1]).human for count in range(len(found))]
    assert has_it == [True, True, True, False, True, False]
    assert folded([light for _, light in highlights([ended], story_state())]).human


def test_a_human_has_the_conversation_while_a_call_waits_for_approval():
    story = whole_story()
    effects = list(highlights(story, story_state()))
    waits = next(one for one in story if isinstance(one, e.RunPaused) and one.why == "approval")
    goes_on = next(one for one in story if isinstance(one, e.RunResumed) and one.seq > waits.seq)
    upto = [light for event, light in effects if event.seq <= waits.seq]
    assert folded(upto).approval
    assert not folded(light for event, light in effects if event.seq <= goes_on.seq).approval
    again = folded(folded(upto).highlights())
    assert again.approval
