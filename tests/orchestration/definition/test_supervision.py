"""Supervision of a conversation."""

import pytest
from pydantic import ValidationError

from orchestration.definition import Supervision


def test_points_and_actions_are_distinct_in_canonical_order():
    supervision = Supervision(
        ask_at=("run_end", "handoff", "run_end"), may=("escalate", "note", "escalate")
    )
    assert supervision.ask_at == ("handoff", "run_end")
    assert supervision.may == ("note", "escalate")
    assert supervision == Supervision(ask_at=("handoff", "run_end"), may=("note", "escalate"))


@pytest.mark.parametrize(
    "fields",
    [
        {"ask_at": ["sometimes"]},
        {"ask_at": "handoff"},
        {"ask_at": ["handoff"] * 21},
        {"may": ["stop"]},
        {"may": ["note"] * 21},
        {"max_calls": 0},
        {"max_calls": 1_001},
    ],
)
def test_an_unknown_point_or_action_or_a_limit_out_of_range_is_refused(fields):
    with pytest.raises(ValidationError) as raised:
        Supervision.model_validate(fields)
    assert {error["loc"][0] for error in raised.value.errors()} == set(fields)


@pytest.mark.parametrize("calls", [1, 1_000])
def test_the_limits_of_the_number_of_calls_are_allowed(calls):
    assert Supervision(max_calls=calls).max_calls == calls
