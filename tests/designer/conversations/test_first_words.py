"""`designer.conversations.first_words`: times of the first words, until the run ends."""

from datetime import timedelta

import pytest

from designer.conversations.first_words import take_first_word
from designer.instrumentation import report_delta
from designer.models import ConversationSummary
from orchestration import events as e
from tests.designer.rehearsal.run_events import record_answered_run
from tests.orchestration.conversations import NOON


def delta(seconds, run_id="run", offset=0, session_id="s"):
    at = NOON + timedelta(seconds=seconds)
    return e.MessageDelta(
        2, at, session_id, run_id, "intake", "triage", turn=1, offset=offset, text="Hi"
    )


def test_the_first_text_of_a_run_counts_once():
    for each in (delta(1), delta(2), delta(9, "other"), delta(0.5, session_id="s/task")):
        report_delta(1, each)
    assert take_first_word("s", "run") == NOON + timedelta(seconds=1)
    assert take_first_word("s", "run") is None
    assert take_first_word("s", "other") == NOON + timedelta(seconds=9)
    assert take_first_word("s/task", "run") == NOON + timedelta(seconds=0.5)


@pytest.mark.django_db
def test_a_summary_has_the_time_of_the_first_word(conversation):
    report_delta(conversation.pk, delta(0.4, "run-1", session_id=conversation.session_id))
    record_answered_run(conversation, answer_in="intake", end_in="intake")
    summary = ConversationSummary.objects.get(pk=conversation.pk)
    assert summary.answer_times == {"agent": [[0.4, 0.0]]}
    assert take_first_word(conversation.session_id, "run-1") is None
