"""Events of a run: models that they name, answers that they void, and old traces."""

import pytest

from orchestration.events import (
    Event,
    HandoffRejected,
    MessageRouted,
    RunStarted,
    TurnRetried,
    TurnStarted,
    load,
)
from tests.orchestration.conversations import NOON

HEAD = (1, NOON, "s1", "run", "intake", "agent-triage")


def started(model: str) -> TurnStarted:
    return TurnStarted(*HEAD, turn=1, provider="default", model=model, context_tokens=10)


def retried(model: str = "", *, shown: bool = False) -> TurnRetried:
    return TurnRetried(
        *HEAD,
        turn=1,
        attempt=1,
        of=3,
        error="OSError",
        message="gone",
        wait=0.5,
        shown=shown,
        provider="other" if model else "",
        model=model,
    )


@pytest.mark.parametrize(
    ("event", "model"),
    [
        (started("m1"), ("default", "m1")),
        (started(""), None),
        (retried("m2"), ("other", "m2")),
        (retried(), None),
        (RunStarted(*HEAD), None),
    ],
)
def test_an_event_names_the_model_of_the_calls_after_it(event: Event, model):
    assert event.asked_model == model


@pytest.mark.parametrize(
    ("event", "is_void"),
    [(retried(shown=True), True), (retried(), False), (started("m1"), False)],
)
def test_a_retry_voids_the_shown_part_of_an_answer(event: Event, is_void):
    assert event.voids_answer is is_void


def body(kind: str, **fields: object) -> dict[str, object]:
    """Return the JSON values of an event."""
    common = {"seq": 1, "at": NOON.isoformat(), "session_id": "s1", "run_id": "r", "phase": "p"}
    return common | {"type": kind} | fields


@pytest.mark.parametrize(
    ("values", "event_type", "defaults"),
    [
        (body("run.started"), RunStarted, {"message": None, "goes_on": False}),
        (
            body("message.routed", by="default", reason="none matched"),
            MessageRouted,
            {"agent_id": None, "rule_id": None, "observers": ()},
        ),
        (
            body("handoff.rejected", call_id="", target="x", why="no"),
            HandoffRejected,
            {"code": "not_allowed", "allowed": (), "by": "", "reason": ""},
        ),
    ],
)
def test_an_event_of_an_old_trace_gets_the_defaults(values, event_type, defaults):
    event = load(values)
    assert isinstance(event, event_type)
    assert {name: getattr(event, name) for name in defaults} == defaults
