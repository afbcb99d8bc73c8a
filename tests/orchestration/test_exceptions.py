"""Errors have a structure."""

from __future__ import annotations

import inspect
import json

import pytest

from orchestration import exceptions
from orchestration.events import StopReason
from orchestration.exceptions import (
    BatonError,
    CastError,
    ConditionError,
    DefinitionError,
    DocumentError,
    Fault,
    FilterError,
    HandlerError,
    ProviderError,
    ProviderTimeout,
    ResourceExhausted,
    RoutingError,
    SchemaError,
    SchemaTooComplexError,
    SessionError,
    SteeringError,
    TaskError,
    ToolError,
    ToolUnavailableError,
    TraceError,
    UnknownNameError,
)
from orchestration.resources import (
    BudgetMetrics,
    ContextMetrics,
    CostMetrics,
    ResourceMetrics,
    TurnMetrics,
)

METRICS = ResourceMetrics(
    turns=TurnMetrics(used=3, limit=3),
    context=ContextMetrics(used=90, limit=100, peak=95),
    calls=BudgetMetrics(used=3, limit=200),
    tokens=BudgetMetrics(used=90, limit=1_000),
    cost=CostMetrics(used=0.0, limit=None),
    time=BudgetMetrics(used=0.5, limit=900),
)

ERRORS: list[tuple[BatonError, str, dict[str, object]]] = [
    (
        DefinitionError([Fault("$.name", "is missing")]),
        "malformed",
        {"faults": [{"path": "$.name", "message": "is missing"}]},
    ),
    (
        UnknownNameError("agent", "x", known=["a"]),
        "unknown_name",
        {"noun": "agent", "name": "x", "known": ["a"]},
    ),
    (HandlerError("so not"), "misuse", {}),
    (CastError("so not"), "misuse", {}),
    (RoutingError("so not"), "routing", {}),
    (ConditionError("so not", 7), "expression", {"column": 7}),
    (SchemaError("so not"), "schema", {}),
    (SchemaTooComplexError("so not"), "schema", {}),
    (FilterError("so not"), "filter_failed", {}),
    (SessionError("so not"), "misuse", {}),
    (SteeringError("not now"), "misuse", {}),
    (TraceError("so not", line=3), "malformed", {"line": 3}),
    (DocumentError("so not"), "malformed", {}),
    (
        ProviderError("away", status=503, request_id="r1"),
        "provider",
        {"status": 503, "request_id": "r1"},
    ),
    (ProviderTimeout("late"), "timeout", {"status": None, "request_id": None}),
    (
        ToolError("no such order", tool="look", call_id="c1"),
        "tool_failed",
        {"tool": "look", "call_id": "c1"},
    ),
    (ToolUnavailableError("not now"), "tool_unavailable", {"tool": "", "call_id": ""}),
    (
        TaskError("It goes in a circle.", reason="cycle", details={"loop": ["a"]}),
        "cycle",
        {"loop": ["a"]},
    ),
    (
        ResourceExhausted("turns", METRICS, used=3, limit=3),
        "turn_limit",
        {"resource": "turns", "used": 3, "limit": 3},
    ),
]


@pytest.mark.parametrize(
    ("error", "reason", "details"), ERRORS, ids=lambda part: getattr(part, "type", None)
)
def test_every_error_says_its_type_reason_message_details_and_metrics(error, reason, details):
    """Contract T-12."""
    assert error.dump() == {
        "type": type(error).__name__,
        "reason": reason,
        "message": str(error),
        "details": details,
        "metrics": None
        if error.metrics is None
        else json.loads(json.dumps(error.dump()["metrics"])),
    }
    assert error.message


def test_no_kind_of_error_is_left_out_above_or_in_the_tree_of_the_docstring():
    """Contract T-12: the tree is drawn as it is."""
    kinds = {
        kind
        for _, kind in inspect.getmembers(exceptions, inspect.isclass)
        if issubclass(kind, BatonError)
    }
    assert kinds == {BatonError, *(type(error) for error, _, _ in ERRORS)}
    tree = (exceptions.__doc__ or "").splitlines()
    assert [
        kind.__name__ for kind in kinds if not any(f" {kind.__name__}" in line for line in tree)
    ] == []


def test_a_resource_error_carries_the_metrics():
    """Contract T-6, T-7."""
    error = ResourceExhausted("turns", METRICS, used=3, limit=3)
    assert (error.resource, error.metrics) == ("turns", METRICS)
    assert error.dump()["metrics"] == {
        "turns": {"used": 3, "limit": 3, "last_turn_at": None},
        "context": {"used": 90, "limit": 100, "peak": 95},
        "calls": {"used": 3, "limit": 200},
        "tokens": {"used": 90, "limit": 1_000},
        "cost": {"used": 0.0, "limit": None, "unpriced": []},
        "time": {"used": 0.5, "limit": 900},
    }
    assert str(error) == "The limit on turns is reached: 3 of 3."


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("turns", "turn_limit"),
        ("handoffs", "handoff_limit"),
        ("context", "context_limit"),
        ("calls", "call_limit"),
        ("tokens", "token_limit"),
        ("cost", "cost_limit"),
        ("time", "time_limit"),
    ],
)
def test_a_resource_error_has_the_stop_reason_of_its_run_as_its_reason(resource, reason):
    """Contract T-7, D-2."""
    assert StopReason(ResourceExhausted(resource, used=1, limit=1).reason) == reason
