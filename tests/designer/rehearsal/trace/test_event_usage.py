"""The usage of an event."""

import re

import msgspec
import pytest

from designer.rehearsal.trace.events import render_event, skip_event
from orchestration import events as e
from orchestration.messages import Usage
from tests.designer.rehearsal.trace.event_stories import panes, whole_story
from tests.designer.rehearsal.trace.sample_traces import DIALOGUES, trace_of, trace_state


def test_tokens_have_their_thousands_apart():
    usage = Usage(input_tokens=18_204, output_tokens=1_041, calls=1, milliseconds=398)
    story = whole_story()
    whole = next(one for one in story if isinstance(one, e.MessageCompleted))
    answered = panes([msgspec.structs.replace(whole, usage=usage)])
    assert answered.count("18,204 in · 1,041 out") == 2, "in its row, and in the sums"


@pytest.mark.parametrize("name", DIALOGUES)
async def test_the_end_of_a_run_counts_every_turn_whose_tokens_it_counts(name):
    state, turns, own = trace_state(name), 0, 0
    for event in await trace_of(name):
        is_own = state.conversation_of(event).kind is None
        html = render_event(event, state)
        if isinstance(event, e.MessageCompleted):
            turns, own = turns + 1, own + is_own
        elif isinstance(event, e.RunCompleted) and is_own:
            counted = re.search(r"(\d+) turns?(?: \((\d+|none) its own\))? · ", html)
            assert counted
            assert int(counted[1]) == turns
            assert counted[2] == (None if own == turns else str(own or "none"))
            turns = own = 0


@pytest.mark.parametrize("name", DIALOGUES)
async def test_each_turn_shows_the_used_calls_of_the_whole_run(name):
    state, calls = trace_state(name), 0
    for event in await trace_of(name):
        is_own = state.conversation_of(event).kind is None
        html = render_event(event, state)
        if isinstance(event, e.RunStarted) and is_own:
            calls = 0
            assert ">0 of 200 calls<" in html
        elif isinstance(event, e.TurnStarted):
            calls += 1
            assert f">{calls} of 200 calls<" in html
        elif isinstance(event, e.MessageCompleted):
            assert f">{calls} of 200 calls<" in html


async def test_the_shown_budget_is_the_engine_s():
    trace = await trace_of("coding")
    state = trace_state("coding")
    copies = []
    for event in trace:
        copies.append(state.copy())
        skip_event(event, state)
    end = trace[-1]
    assert isinstance(end, e.RunCompleted)
    assert state.budget.tokens == end.usage.input_tokens + end.usage.output_tokens
    assert copies[0].budget.calls == 0, "an earlier state does not change"
