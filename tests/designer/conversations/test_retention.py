"""Conversations that the retention of their pipeline expires."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from designer.conversations.retention import (
    MAX_DAYS,
    RetentionForm,
    expired_by_pipeline,
    set_retention,
)
from designer.models import ConversationSummary
from designer.rehearsal.actions.conversations import start_conversation

NOW = datetime(2026, 3, 10, 1, 30, tzinfo=timezone(timedelta(hours=2)))
"""It is still 9 March in UTC."""

LIMIT = datetime(2026, 3, 2, tzinfo=UTC)
"""Seven days before that day."""

JUST_BEFORE = LIMIT - timedelta(seconds=1)


@pytest.fixture
def conversations(user, pipeline) -> list[int]:
    """Ids of three conversations, the first of which has expired; their pipeline keeps a week."""
    ids = [start_conversation(pipeline=pipeline, user=user).pk for _ in range(3)]
    for pk, last_at in zip(ids, (JUST_BEFORE, LIMIT, NOW), strict=True):
        ConversationSummary.objects.filter(pk=pk).update(last_at=last_at)
    set_retention(pipeline=pipeline, days=7)
    return ids


def test_a_conversation_expires_at_the_beginning_of_a_day_in_utc(pipeline, conversations):
    [(found, until, rows)] = expired_by_pipeline(NOW)
    assert (found, until) == (pipeline, LIMIT)
    assert [row.pk for row in rows] == conversations[:1]
    assert list(expired_by_pipeline(NOW - timedelta(days=1))) == []


@pytest.mark.parametrize(
    ("changes", "stays"),
    [
        ({"outcome": "running"}, True),
        ({"outcome": "paused"}, False),
        ({"is_outdated": True}, True),
    ],
)
def test_running_and_outdated_conversations_stay_and_paused_ones_do_not(
    conversations, changes, stays
):
    ConversationSummary.objects.filter(pk=conversations[0]).update(**changes)
    assert (list(expired_by_pipeline(NOW)) == []) is stays


def test_a_retention_is_no_edit(pipeline):
    pipeline.refresh_from_db()
    before = (pipeline.version, pipeline.updated)
    set_retention(pipeline=pipeline, days=30)
    pipeline.refresh_from_db()
    assert pipeline.keep_days == 30
    assert (pipeline.version, pipeline.updated) == before
    set_retention(pipeline=pipeline, days=None)
    pipeline.refresh_from_db()
    assert pipeline.keep_days is None


@pytest.mark.parametrize(("text", "days"), [("1", 1), (str(MAX_DAYS), MAX_DAYS), ("", None)])
def test_a_retention_is_a_number_of_days_or_empty(text, days):
    form = RetentionForm({"days": text})
    assert form.is_valid()
    assert form.cleaned_data == {"days": days}


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", str(MAX_DAYS + 1)])
def test_an_impossible_retention_is_refused(text):
    assert not RetentionForm({"days": text}).is_valid()
