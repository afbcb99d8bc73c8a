"""Outcomes of a conversation."""

import pytest

from designer.conversations.outcomes import GROUPS, OUTCOMES, Outcome, outcome_of
from orchestration.events import StopReason


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_for_the_end_of_a_run_is_an_outcome(reason):
    assert outcome_of(reason.value) in OUTCOMES


def test_each_outcome_has_a_name_and_a_label_of_its_own_and_a_group_of_the_chart():
    assert len({outcome.name for outcome in OUTCOMES}) == len(OUTCOMES)
    assert len({outcome.label for outcome in OUTCOMES}) == len(OUTCOMES)
    assert {outcome.group for outcome in OUTCOMES} == set(GROUPS)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("replied", "answered"),
        ("waiting_for_human", "person"),
        ("paused", "open"),
        ("turn_limit", "stopped"),
        ("failed", "stopped"),
    ],
)
def test_an_outcome_is_counted_in_its_group(name, group):
    assert outcome_of(name).group == group


def test_an_outcome_of_a_newer_version_is_shown_by_its_name():
    assert outcome_of("out_of_credit") == Outcome(
        "out_of_credit", "out of credit", "stopped", "close"
    )
