"""Signals of runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from django.dispatch import Signal

from designer.instrumentation.signals import (
    answer_begun,
    event_recorded,
    report_delta,
    report_recorded_event,
    report_takeover,
    run_taken_over,
)
from orchestration.events import MessageDelta
from tests.designer.rehearsal.run_events import run_started
from tests.orchestration.conversations import NOON


@contextmanager
def received(signal: Signal) -> Iterator[list[dict[str, Any]]]:
    """Keep what a receiver gets that fails each time."""
    kept: list[dict[str, Any]] = []

    def receive(**values: Any) -> None:
        kept.append({name: values[name] for name in values.keys() - {"signal", "sender"}})
        raise RuntimeError("a failing receiver has no effect")

    signal.connect(receive)
    try:
        yield kept
    finally:
        signal.disconnect(receive)


def test_a_takeover_is_reported_with_its_conversation():
    with received(run_taken_over) as kept:
        report_takeover(7)
    assert kept == [{"conversation_id": 7}]


def test_only_the_first_text_of_an_answer_is_reported():
    first, second = (
        MessageDelta(2, NOON, "s", "run-1", "intake", "triage", turn=1, offset=offset, text="Hi")
        for offset in (0, 2)
    )
    with received(answer_begun) as kept:
        report_delta(7, second)
        report_delta(7, first)
    assert kept == [{"conversation_id": 7, "delta": first}]


@pytest.mark.django_db(transaction=True)
def test_an_event_that_is_not_committed_is_not_reported():
    event = run_started()
    with received(event_recorded) as kept:
        with transaction.atomic():
            report_recorded_event(7, "session", event)
            transaction.set_rollback(True)
        assert kept == []
        with transaction.atomic():
            report_recorded_event(7, "session", event)
            assert kept == []
    assert kept == [{"conversation_id": 7, "session_id": "session", "event": event}]
