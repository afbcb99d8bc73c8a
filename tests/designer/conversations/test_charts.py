"""Charts of conversations."""

from datetime import UTC, date, datetime, timedelta

import pytest

from designer.conversations.charts import (
    HEIGHT,
    draw_charts,
    live_mark,
    rejection_bars,
    time_bars,
)
from designer.models import ConversationSummary, Release, Version
from designer.rehearsal.actions.conversations import start_conversation

TODAY = date(2026, 3, 10)


def test_the_most_rejected_transitions_are_first_with_their_reasons():
    rejected = [{"a b not_allowed": 2, "a c cycle": 1}, {"a b limit": 3}]
    first, second = rejection_bars(rejected)
    assert (first.name, first.percent, first.values) == ("a → b", 100, ["5", "limit, not allowed"])
    assert (second.name, second.percent, second.values) == ("a → c", 20, ["1", "cycle"])


def test_times_are_medians_by_agent_with_the_slowest_first():
    times = [{"x": [[1.0, 2.0], [3.0, 4.0]]}, {"x": [[2.0, 8.0]], "y": [[1.0, 1.0]]}]
    slow, fast = time_bars(times, {"x": "Triage"})
    assert (slow.name, slow.percent, slow.values) == ("Triage", 100, ["2.0 s", "4.0 s"])
    assert (fast.name, fast.percent) == ("y", 25)


@pytest.mark.django_db
def test_the_days_are_counted_by_outcome(user, pipeline):
    outcomes = ["replied", "replied", "failed", "waiting_for_human"]
    for outcome in outcomes:
        row = start_conversation(pipeline=pipeline, user=user)
        at = datetime(2026, 3, 9, 23, 59, tzinfo=UTC)
        summaries = ConversationSummary.objects.filter(pk=row.pk)
        summaries.update(outcome=outcome, last_at=at, tokens=10, cost=0.5)
    rows = ConversationSummary.objects.all()
    charts = draw_charts(rows, since=None, until=None, today=TODAY)
    assert (len(charts.runs.days), charts.runs.total) == (30, "4")
    yesterday, today = charts.runs.days[-2:]
    assert yesterday.day == date(2026, 3, 9)
    assert list(yesterday.values) == ["2", "1", "1", "0"]
    assert [part.height for part in yesterday.parts] == [HEIGHT / 2, HEIGHT / 4, HEIGHT / 4]
    assert not today.parts
    assert (charts.tokens.total, charts.cost.total) == ("40", "$2.00")


@pytest.mark.django_db
def test_without_conversations_the_charts_are_empty(db):
    rows = ConversationSummary.objects.all()
    charts = draw_charts(rows, since=date(1, 1, 1), until=None, today=TODAY)
    assert (charts.runs.total, len(charts.runs.days), charts.times) == ("0", 90, [])


@pytest.mark.parametrize(
    ("promoted", "percent"),
    [
        (datetime(2026, 3, 1, tzinfo=UTC), 0.0),
        (datetime(2026, 3, 6, tzinfo=UTC), 50.0),
        (datetime(2026, 3, 10, 12, tzinfo=UTC), 95.0),
    ],
)
def test_the_promotion_of_the_live_version_is_marked_at_its_time(promoted, percent):
    days = [date(2026, 3, 1) + timedelta(days=number) for number in range(10)]
    mark = live_mark(Release(version=Version(number=7), promoted=promoted), days)
    assert mark is not None
    assert (mark.label, mark.day, mark.percent) == ("v7 live", promoted.date(), percent)


def test_a_promotion_outside_of_the_days_is_not_marked():
    release = Release(version=Version(number=7), promoted=datetime(2026, 2, 28, tzinfo=UTC))
    assert live_mark(release, [date(2026, 3, 1)]) is None
    assert live_mark(None, [date(2026, 3, 1)]) is None
