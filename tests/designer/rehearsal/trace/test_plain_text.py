"""Events as plain lines for a terminal."""

import pytest

from designer.rehearsal.trace.plain_text import plain, plain_lines, plain_row
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import HOSTILE, trace_state, whole_story


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello\n  you", "Hello\n  you"),
        ("\x1b[2Jgone", "\N{REPLACEMENT CHARACTER}[2Jgone"),
        ("a\u202eb\x9fc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
    ],
)
def test_control_characters_are_replaced(text, shown):
    assert plain(text) == shown


def test_a_row_has_time_category_and_subject():
    story = whole_story()
    seq = next(event.seq for event in story if isinstance(event, e.HandoffAccepted))
    elapsed, category, subject, *_ = plain_row(story[seq - 1], trace_state(story[: seq - 1]))
    assert (elapsed, category, subject) == ("1.100", "handoff", "Triage → Handler accepted")


def test_an_answer_follows_its_row_and_the_state_includes_the_event():
    story = whole_story()
    answer = next(event for event in story if isinstance(event, e.MessageCompleted))
    state = trace_state(story[: answer.seq - 1])
    row, text = plain_lines(answer, state)
    assert row.split()[1] == "model"
    assert text.strip() == f"│ {HOSTILE}"
    assert state.spent.turns == 1


def test_every_event_has_a_single_row():
    state = trace_state()
    for event in whole_story():
        rows = [line for line in plain_lines(event, state) if "│" not in line]
        assert len(rows) == 1, event.type
