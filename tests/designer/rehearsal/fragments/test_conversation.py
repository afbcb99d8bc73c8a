"""Controls and composer after the events of a conversation, and suggested messages."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from django.template.loader import render_to_string

from designer.rehearsal.fragments.conversation import agents_of, conversation_context, suggestions
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.events import render_event, skip_event
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from orchestration.definition import Agent
from orchestration.messages import InboundMessage, Usage
from tests.designer.htmx_page import Page, find, page_of, swap, text_of
from tests.designer.live_conversations import pair_pipeline
from tests.designer.recorded_conversations import find_seq
from tests.orchestration.conversations import NOON, four_stages
from tests.orchestration.sample_rehearsals import names, sample


def trace_state() -> TraceState:
    return TraceState.of(
        Names.of(four_stages(), started_at=NOON, trace_url="/conversations/1/events/")
    )


def story(*made) -> list[e.Event]:
    """Return events in order, from types and their fields."""
    numbers = count(1)

    def made_of(kind: Any, run_id: str = "r1", **fields: Any) -> Any:
        head = (next(numbers), NOON, "conversation-1", run_id, "intake", "triage")
        return kind(*head, **fields)

    return [made_of(kind, **fields) for kind, fields in made]


STARTED = (e.RunStarted, {"message": InboundMessage(id="message-1", text="Hello")})
ENDED = (
    e.RunCompleted,
    {"reason": e.StopReason.REPLIED, "usage": Usage(), "turns": 1, "handoffs": 0},
)
PAUSED = (e.RunPaused, {"why": "asked", "ahead": "turn", "target": "triage", "by": "ada"})
GONE_ON = (e.RunResumed, {"by": "ada"})
JOINED = (e.HumanJoined, {"by": "ada", "command_id": "command-1"})
REPLIED = (e.HumanReplied, {"text": "**I** am <b>Ada</b>", "by": "ada", "command_id": "command-2"})
LEFT = (e.HumanLeft, {"by": "ada", "command_id": "command-3"})
LET_GO = (e.HumanLeft, {"by": "ada", "command_id": "command-4", "ended": True})
WAITING = (e.RunCompleted, ENDED[1] | {"reason": e.StopReason.WAITING_FOR_HUMAN})
GIVEN = {
    "call_id": "",
    "reason": "",
    "summary": "",
    "hop": 0,
    "hop_limit": 6,
    "from_agent": "triage",
    "from_phase": "intake",
    "to_agent": None,
    "to_phase": "escalation",
    "by": "ada",
}
ESCALATED = (e.HandoffAccepted, GIVEN | {"run_id": ""})
HANDED_BACK = (e.HandoffAccepted, GIVEN | {"run_id": "", "to_agent": "triage"})


def live(events) -> Any:
    """Return a page that was open from the first event."""
    state = trace_state()
    page = Page(page_of([], state)).root
    for event in events:
        swap(page, render_event(event, state))
    return page


def reloaded(events) -> Any:
    """Return a page that was loaded after the last event."""
    return Page(page_of(events, trace_state())).root


def buttons(page) -> list[str]:
    return [one[1]["id"] for one in find(page, "steering")[1][2] if isinstance(one, tuple)]


@pytest.mark.parametrize("page_after", [live, reloaded])
@pytest.mark.parametrize(
    ("made", "standing", "first", "speaks_as"),
    [
        ([STARTED], "running", "steer-pause", ["say"]),
        ([STARTED, PAUSED], "paused", "steer-pause", ["say"]),
        ([STARTED, PAUSED, GONE_ON], "running", "steer-pause", ["say"]),
        ([STARTED, ENDED], "idle", "steer-note", ["say"]),
        ([STARTED, ENDED, JOINED], "human", "steer-hand-back", ["reply", "say"]),
        ([STARTED, ENDED, JOINED, STARTED, ENDED], "human", "steer-hand-back", ["reply", "say"]),
        ([STARTED, ENDED, JOINED, LEFT], "idle", "steer-note", ["say"]),
        ([STARTED, ENDED, ESCALATED], "waits", "steer-note", ["say"]),
        ([STARTED, WAITING], "waits", "steer-note", ["say"]),
        ([STARTED, ENDED, JOINED, STARTED, WAITING], "human", "steer-hand-back", ["reply", "say"]),
        ([STARTED, WAITING, LET_GO], "ended", "steer-note", ["say"]),
        ([STARTED, WAITING, LET_GO, STARTED, WAITING], "waits", "steer-note", ["say"]),
        ([STARTED, WAITING, JOINED, LEFT, HANDED_BACK], "idle", "steer-note", ["say"]),
    ],
)
def test_buttons_and_composer_follow_the_events(made, standing, first, speaks_as, page_after):
    page = page_after(story(*made))
    assert find(page, "steering")[1][1]["data-standing"] == standing
    assert buttons(page)[0] == first
    assert buttons(page)[-1] == "steer-end"
    # With nothing to end, the button is marked as disabled before it is pressed.
    is_in_vain = find(page, "steer-end")[1][1].get("aria-disabled") == "true"
    assert is_in_vain == (standing in {"idle", "ended"})
    actions = find(page, "composer-actions")[1]
    operation = next(
        one for one in actions[2] if isinstance(one, tuple) and one[1].get("name") == "op"
    )
    as_whom = [operation[1]["value"]] if operation[0] == "input" else values(operation)
    assert as_whom == speaks_as


def test_a_message_to_the_present_human_asks_nobody_to_take_over():
    def chat_after(*made) -> str:
        return text_of(find(reloaded(story(*made)), "chat-log")[1][2])

    waits = chat_after(STARTED, WAITING)
    assert "Waiting for the human" in waits
    assert "Take it" in waits
    taken = chat_after(STARTED, ENDED, JOINED, STARTED, WAITING)
    assert "Waiting for ada, who has the conversation" in taken
    assert "Take it" not in taken


def values(select) -> list[str]:
    return [one[1]["value"] for one in select[2]]


def test_a_humans_answer_is_markdown_and_names_its_command():
    events = story(STARTED, ENDED, JOINED, REPLIED)
    said = find(reloaded(events), "chat-4")[1]
    assert said[1]["data-message"] == "command-2"
    assert "I am &lt;b&gt;Ada&lt;/b&gt;" in text_of(said[2])
    assert "as the human" in text_of(said[2])


@pytest.mark.parametrize(
    "made", [GONE_ON, (e.SupervisorNoted, {"text": "Be kind.", "by": "ada"})], ids=["pause", "note"]
)
def test_the_next_agent_is_named_again_after_a_pause_or_a_note(made):
    asked = (e.TurnStarted, {"turn": 1, "model": "m", "provider": "scripted", "context_tokens": 1})
    page = reloaded(story(STARTED, PAUSED, made, asked))
    entry = find(page, "chat-3")[1]
    assert "enters" in entry[1]["class"]  # named before its next turn, like an entering agent
    assert "triage" in text_of(entry[2])


def test_a_reader_sees_that_a_person_has_the_conversation():
    state = trace_state()
    for event in story(STARTED, ENDED, JOINED, STARTED):
        skip_event(event, state)
    html = render_event(story(STARTED, ENDED, JOINED, STARTED, ENDED)[-1], state)
    assert 'data-standing="human"' in html


pytestmark = pytest.mark.django_db


def test_the_canvas_is_lit_no_further_than_the_page_is_told(recorded):
    """Events that are recorded while the page is rendered come by its socket, and count once."""
    state = find_seq(recorded, "handoff.accepted")
    before = str(conversation_context(recorded)["lights"])
    recorded.last_seq = state - 1
    lights = str(conversation_context(recorded)["lights"])
    assert "data-traversed" in before
    assert "data-traversed" not in lights


def test_a_suggestion_is_the_longest_phrase_of_each_cue():
    agents = [agent.model_dump() for agent in four_stages().agents]
    agents[0]["cues"] = [
        {"when": ["charged", "I was charged twice", "refund"]},
        {"when": ["hello", "hi"]},
        {"when": ["i was charged twice"]},
        {"say": "Anything else?"},
    ]
    definition = four_stages(agents=agents, entry="handling")
    assert suggestions(definition) == ["I was charged twice", "Hello"]


@pytest.mark.parametrize("name", names())
def test_the_starters_of_a_sample_are_whole_sentences(name):
    starters = suggestions(sample(name))
    assert len(starters) >= 2
    for starter in starters:
        assert starter[0].isupper()
        assert starter[-1] in ".?!"
        assert len(starter.split()) >= 3


def test_where_a_group_begins_the_cues_of_all_its_members_count():
    one = Agent(id="one", name="One", cues=[{"when": ["hello"]}])
    two = Agent(id="two", name="Two", cues=[{"when": ["is it raining"]}])
    assert suggestions(pair_pipeline(agents=[one, two])) == ["Hello", "Is it raining"]


def test_the_entry_begins_in_teams_and_workflows_despite_a_default():
    agents = [
        agent.model_dump() | {"cues": [{"when": [f"to {agent.name}"]}]}
        for agent in four_stages().agents
    ]
    begin = {
        topology: suggestions(
            four_stages(agents=agents, topology=topology, default_agent_id="agent-handler")
        )
        for topology in ("pipeline", "workflow")
    }
    assert begin == {"pipeline": ["To Handler"], "workflow": ["To Triage"]}


def test_the_supervisor_is_marked_in_the_list_of_agents():
    agents = [Agent(id="agent-boss", name="Boss"), Agent(id="agent-idle", name="Idle")]
    definition = four_stages(agents=agents, stages=[], supervisor_id="agent-boss")
    boss, idle = (
        render_to_string("rehearsal/_agents.html", {"agents": [row]})
        for row in agents_of(definition)
    )
    assert ('title="Supervisor"' in boss, "serves no stage" in boss) == (True, False)
    assert ('title="Supervisor"' in idle, "serves no stage" in idle) == (False, True)
