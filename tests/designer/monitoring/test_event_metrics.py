"""Metrics that are derived from recorded events."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from designer.monitoring.event_metrics import count_event, measure_first_token
from designer.monitoring.metrics import REGISTRY
from orchestration import events as e
from orchestration.events import Event
from orchestration.messages import ToolResult, Usage
from tests.designer.recorded_conversations import record_rehearsal
from tests.orchestration.conversations import NOON


@dataclass
class Counted:
    """Changes of the metrics since the start of a test."""

    before: dict[tuple[str, str], float] = field(default_factory=dict)

    def now(self) -> dict[tuple[str, str], float]:
        return {
            (sample.name, ",".join(sample.labels.values())): sample.value
            for metric in REGISTRY.collect()
            for sample in metric.samples
            if sample.name.startswith("baton_") and not sample.name.endswith("_created")
        }

    def changes(self) -> dict[tuple[str, str], float]:
        changes = {name: value - self.before.get(name, 0) for name, value in self.now().items()}
        return {name: value for name, value in changes.items() if value}


@pytest.fixture
def counted(db) -> Counted:
    metrics = Counted()
    metrics.before = metrics.now()
    return metrics


def head(seq: int, seconds: float = 0.0, run: str = "run-1") -> Any:
    return seq, NOON + timedelta(seconds=seconds), "session", run, "intake", "triage"


def count(*events: Event) -> None:
    for event in events:
        count_event(conversation_id=1, session_id="session", event=event)


def test_the_recorded_events_of_a_conversation_are_counted(
    user, counted, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        conversation = record_rehearsal(user)
    changes = counted.changes()
    events = conversation.events()

    def total(kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in events)

    usage = [event.usage for event in events if isinstance(event, e.MessageCompleted)]
    assert total(e.HandoffAccepted) > 0
    assert changes["baton_runs_total", "replied"] == total(e.RunCompleted) == 2
    assert changes["baton_handoffs_total", "accepted"] == total(e.HandoffAccepted)
    assert changes["baton_tool_calls_total", "ok"] == total(e.ToolReturned) > 0
    assert changes["baton_turn_seconds_count", ""] == total(e.TurnStarted)
    assert changes["baton_tokens_total", "output"] == sum(one.output_tokens for one in usage) > 0
    assert changes["baton_tokens_total", "input"] == sum(one.input_tokens for one in usage)


def test_the_first_text_of_a_turn_is_measured_once(counted):
    turn: dict[str, Any] = {"turn": 1}
    retry = {**turn, "attempt": 1, "of": 3, "error": "Lost", "message": "Lost", "wait": 0.0}
    count(e.TurnStarted(*head(1), **turn, provider="p", model="m", context_tokens=1))
    for seconds in (3.0, 8.0):  # the second one begins again after a failure
        delta = e.MessageDelta(*head(1, seconds), **turn, offset=0, text="Hi")
        measure_first_token(conversation_id=1, delta=delta)
    count(
        e.TurnRetried(*head(2, 5), **retry),
        e.MessageCompleted(*head(3, 20), **turn, text="Hi", usage=Usage()),
    )
    changes = counted.changes()
    assert changes["baton_first_token_seconds_sum", ""] == 3.0
    assert changes["baton_first_token_seconds_count", ""] == 1
    assert changes["baton_turn_seconds_sum", ""] == 20.0
    assert changes["baton_turn_retries_total", ""] == 1


def test_a_turn_of_another_process_is_counted_without_its_seconds(counted):
    usage = Usage(input_tokens=7, output_tokens=2)
    count(e.MessageCompleted(*head(3, run="run-9"), turn=4, text="Hi", usage=usage))
    assert counted.changes() == {
        ("baton_tokens_total", "input"): 7.0,
        ("baton_tokens_total", "output"): 2.0,
    }


def test_refusals_failures_and_subtasks_are_told_apart(counted):
    end: dict[str, Any] = {"usage": Usage(), "turns": 1, "handoffs": 0}
    completed = e.RunCompleted(*head(4), reason=e.StopReason.CYCLE, **end)
    subtask = msgspec.structs.replace(completed, session_id="session/task-1")
    rejected = e.HandoffRejected(
        *head(1), call_id="1", target="x", why="No.", code="unknown_target"
    )
    result = ToolResult(call_id="2", name="find", error="Lost")
    count(
        rejected,
        e.ToolReturned(*head(2), result=result),
        e.RunFailed(*head(3), error="Lost", message="Lost", **end),
        completed,
        subtask,
    )
    assert counted.changes() == {
        ("baton_handoffs_total", "unknown_target"): 1,
        ("baton_tool_calls_total", "error"): 1,
        ("baton_runs_total", "failed"): 1,
        ("baton_runs_total", "cycle"): 1,
    }
