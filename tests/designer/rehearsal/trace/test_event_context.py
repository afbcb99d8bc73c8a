"""Display of subtasks, with the traces of the samples."""

import re
from typing import Any

import pytest

from designer.rehearsal.trace.event_fragments import CHAT, HIGHLIGHTS, turn_id
from designer.rehearsal.trace.events import render_event, render_panes
from orchestration import events as e
from orchestration.messages import Usage
from tests.designer.htmx_page import Page, find, page_of, swap, without_space
from tests.designer.rehearsal.trace.sample_traces import DIALOGUES, of_kind, trace_of, trace_state
from tests.orchestration.sample_rehearsals import Rehearsal


@pytest.fixture
def templates_with_line_breaks(settings: Any) -> None:
    """Render templates as a server does, not as `tests.markup` does."""
    backend = "django.template.backends.django.DjangoTemplates"
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"BACKEND": backend}]


@pytest.mark.usefixtures("templates_with_line_breaks")
@pytest.mark.parametrize("name", DIALOGUES)
async def test_a_reload_after_any_event_shows_the_same_as_the_socket(name):
    trace = await trace_of(name)
    whole = without_space(Page(page_of(trace, trace_state(name))).root)
    for seen in range(0, len(trace), 7):
        state = trace_state(name)
        page = Page(page_of(trace[:seen], state)).root
        state = trace_state(name, trace[:seen])
        for event in trace[seen:]:
            swap(page, render_event(event, state))
        assert without_space(page) == whole


@pytest.mark.parametrize("name", DIALOGUES)
async def test_every_event_of_every_subtask_has_a_row_in_the_trace(name):
    trace = await trace_of(name)
    html = render_panes(trace, trace_state(name))["trace"]
    rows = [int(number) for number in re.findall(r'<li id="event-(\d+)"', html)]
    assert rows == [event.seq for event in trace]


async def test_rows_within_a_subtask_are_indented_and_name_it():
    trace = await trace_of("weekend-trip")
    [guide] = of_kind(trace, "subtask")
    state = trace_state("weekend-trip")
    rows = {event.seq: render_event(event, state) for event in trace}
    assert "data-depth" not in rows[guide.seq]
    inside = [event for event in trace if event.session_id == guide.task_id]
    assert inside
    for event in inside:
        assert 'data-depth="1"' in rows[event.seq]
        assert "in City guide" in rows[event.seq]
    flights, rooms = of_kind(trace, "member")
    deep = [one for one in trace if one.session_id in (flights.task_id, rooms.task_id)]
    assert all('data-depth="2"' in rows[event.seq] for event in deep)


async def test_members_of_a_group_speak_to_the_user_each_in_a_place_of_its_own():
    trace = await trace_of("coding")
    page = Page(page_of(trace, trace_state("coding"))).root
    members = of_kind(trace, "member")
    assert len(members) == 6
    for member in members:
        _, (_, attributes, content) = find(page, f"task-{member.task_id}")
        assert attributes["class"] == "voice"
        said = [event for event in trace if event.session_id == member.task_id]
        answers = [one for one in said if isinstance(one, e.MessageCompleted) and one.text]
        for answer in answers:
            assert find(content, turn_id(answer.run_id, answer.turn)) is not None


async def test_a_delegate_takes_one_line_in_the_chat_without_its_text():
    trace = await trace_of("weekend-trip")
    [booking] = of_kind(trace, "delegate")
    chat = render_panes(trace, trace_state("weekend-trip"))["chat_log"]
    assert chat.count('class="voice"') == 0
    assert "find_flights" not in chat
    assert chat.count(f'id="task-{booking.task_id}"') == 1
    task = '<q dir="auto">Two people, Hamburg to Lisbon, 2 to 4 May.</q>'
    assert f"<b>Group booking</b> {task}" in chat
    assert '<b>City guide</b> <q dir="auto">Lisbon</q>' in chat
    assert chat.count(">done</span>") == 2


async def test_a_subtask_at_work_is_seen_to_be_and_its_end_says_how_it_went():
    trace = await trace_of("weekend-trip")
    [booking] = of_kind(trace, "delegate")
    before = [event for event in trace if event.seq <= booking.seq]
    chat = render_panes(before, trace_state("weekend-trip"))["chat_log"]
    assert f'<span id="task-{booking.task_id}-end"></span>' in chat
    [ended] = [
        one
        for one in trace
        if isinstance(one, e.SubtaskCompleted) and one.task_id == booking.task_id
    ]
    html = render_event(ended, trace_state("weekend-trip", before))
    assert f'<span id="task-{booking.task_id}-end" hx-swap-oob="true"' in html
    assert "[agent-flights]: Direct on Friday" in html


async def test_only_the_conversation_s_own_run_sets_the_composer_running_and_idle():
    trace = await trace_of("weekend-trip")
    state = trace_state("weekend-trip")
    touched = [
        (event.type, event.session_id)
        for event in trace
        if 'id="composer-actions"' in render_event(event, state)
    ]
    assert touched == [("run.started", "rehearsal"), ("run.completed", "rehearsal")] * 4


async def test_the_composer_says_which_question_waits_until_it_is_answered():
    trace = await trace_of("weekend-trip")
    asked = next(event.seq for event in trace if isinstance(event, e.InputRequested))
    question = "How many are you, and where do you start from?"
    story = {
        seq: render_panes(trace[:seq], trace_state("weekend-trip")) for seq in (asked, asked + 4)
    }
    assert (
        f'<b>Planner</b> waits for your answer: <q dir="auto">{question}</q>'
        in story[asked]["composer_question"]
    )
    assert (
        f'turn--question"><span class="visually-hidden">Planner asks: </span><bdi>{question}</bdi>'
        in (story[asked]["chat_log"])
    )
    assert question not in story[asked + 4]["composer_question"]


async def test_the_canvas_shows_the_active_agent_and_the_traversed_transition():
    trace = await trace_of("weekend-trip")
    lights = render_panes(trace, trace_state("weekend-trip"))["lights"]
    begins = 'data-begins="stage-booking" data-traversed="edge-planning--booking"'
    assert f'{begins} data-by="delegation"' in lights
    assert 'data-begins="stage-booking" data-member="agent-flights"' in lights
    assert 'data-ends="stage-booking" data-member="agent-flights"' in lights
    assert 'data-ends="stage-booking"></li>' in lights


async def test_the_stages_of_another_pipeline_are_none_of_the_canvas_s():
    trace = await trace_of("weekend-trip")
    lights = render_panes(trace, trace_state("weekend-trip"))["lights"]
    assert {"stage-research", "stage-writing", "stage-editing"}.isdisjoint(
        re.findall(r'"(stage-[a-z]+)"', lights)
    )


async def test_a_workflow_s_steps_are_lines_across_the_chat_and_inked_on_the_canvas():
    trace = await trace_of("city-guide")
    panes = render_panes(trace, trace_state("city-guide"))
    steps = re.findall(r'handoff--onward"><b>([^<]+)</b>', panes["chat_log"])
    assert steps == ["Researcher → Writer", "Writer → Editor"] * 2
    assert panes["lights"].count('data-traversed="edge-writing--editing" data-by="step"') == 2


async def test_a_message_that_begins_anew_is_no_step():
    """Each message of a workflow begins at the entry, without a transition from the last stage."""
    trace = await trace_of("city-guide")
    back = [one for one in trace if isinstance(one, e.PhaseChanged) and one.to_phase == "research"]
    assert len(back) == 1
    html = render_event(back[0], trace_state("city-guide"))
    assert CHAT not in html
    assert HIGHLIGHTS in html
    assert "data-traversed" not in html


async def test_a_group_goes_on_by_itself():
    trace = await trace_of("coding")
    chat = render_panes(trace, trace_state("coding"))["chat_log"]
    assert chat.count('handoff--onward"><b>Group checks → Reviewer</b>') == 2


async def test_a_circle_ends_visibly():
    trace = await trace_of("bike-shop")
    panes = render_panes(trace, trace_state("bike-shop"))
    assert "<b>Accounts ↛ Sales</b> refused: cycle" in panes["trace"]
    assert "Accounts → Sales → Accounts</span>" in panes["trace"]
    assert "Stopped: the handoffs form a cycle" in panes["chat_log"]


async def test_the_text_of_a_member_stays_after_the_run_is_stopped():
    rehearsal = Rehearsal("coding")
    await rehearsal.events_of(DIALOGUES["coding"][0])
    before = [
        event
        async for event in rehearsal.session.receive(rehearsal.message(DIALOGUES["coding"][1]))
        if not isinstance(event, e.MessageDelta)
    ]
    [started] = [one for one in before if isinstance(one, e.TurnStarted) and "input" in one.run_id]
    cut = [event for event in before if event.seq <= started.seq]
    ended = e.RunCompleted(
        **{
            name: getattr(started, name)
            for name in ("at", "session_id", "run_id", "phase", "agent_id")
        },
        seq=started.seq + 1,
        reason=e.StopReason.CANCELLED,
        usage=Usage(),
        turns=1,
        handoffs=0,
        cut_off="A year before",
    )
    page = Page(page_of([*cut, ended], trace_state("coding"))).root
    _, (_, attributes, content) = find(page, turn_id(started.run_id, 1))
    assert "data-streaming" not in attributes
    assert find(content, f"{turn_id(started.run_id, 1)}-text")[1][2] == ["A year before"]
