"""Rows of the list of conversations."""

import pytest

from designer.conversations.outcomes import outcome_of
from designer.conversations.rows import MAX_CHIPS, Row, duration, hues_of, legend, money, rows_of
from designer.models import ConversationSummary, Pipeline

OWNER, STARTER, EDITOR = 1, 2, 3


def row_of(path: str = "", user_id: int = OWNER, **sums) -> Row:
    """Return the row of a conversation that `STARTER` began in a pipeline of `OWNER`."""
    summary = ConversationSummary(path=path, started_by_id=STARTER, outcome="replied", **sums)
    summary.pipeline = Pipeline(owner_id=OWNER)
    (row,) = rows_of([summary], {"review": 120}, user_id)
    return row


def test_each_stage_of_a_page_has_its_own_letters():
    labels = {
        step.name: step.label for step in row_of("review resolution review re r resale").steps
    }
    assert labels == {"review": "Re", "resolution": "Rs", "re": "R2", "r": "R", "resale": "Ra"}


def test_the_path_of_a_row_is_cut_and_counted():
    row = row_of(" ".join(f"stage-{number}" for number in range(MAX_CHIPS + 2)))
    assert (len(row.steps), row.more_steps) == (MAX_CHIPS, 2)
    assert row_of("review").more_steps == 0
    assert row.outcome == outcome_of("replied")


def test_the_legend_names_each_stage_once_and_no_rejection():
    rows = [row_of("review ! intake review"), row_of("intake")]
    assert rows[0].path == "review → rejected handoff → intake → review"
    assert [(step.name, step.hue) for step in legend(rows)] == [("review", 120), ("intake", None)]


@pytest.mark.parametrize(
    ("cost", "unpriced", "text"), [(0.0, 0, "$0.0000"), (0.0, 1, ""), (0.25, 1, "$0.2500")]
)
def test_a_cost_is_shown_unless_no_call_has_a_price(cost, unpriced, text):
    assert row_of(cost=cost, unpriced=unpriced).cost == text


@pytest.mark.parametrize(("user_id", "may"), [(OWNER, True), (STARTER, True), (EDITOR, False)])
def test_a_conversation_is_deleted_by_its_starter_and_the_owner(user_id, may):
    assert row_of(user_id=user_id).may_delete is may


def test_a_stage_has_the_chosen_hue_of_its_agent_or_the_one_of_its_key(pipeline):
    pipeline.agents.filter(key="agent-review").update(hue=0)
    pipeline.stages.filter(phase="resolution").update(agent=None)
    hues = hues_of(pipeline)
    assert hues["review"] == 0
    assert isinstance(hues["intake"], int)
    assert set(hues) == {"intake", "review"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.44, "0.4 s"),
        (31.4, "31 s"),
        (59.6, "1 m 00 s"),
        (221, "3 m 41 s"),
        (3_599.7, "1 h 00 m"),
        (7_500, "2 h 05 m"),
        (5_000_000, "1,388 h 53 m"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("dollars", "text"), [(0.00424, "$0.0042"), (12.4, "$12.40"), (1_234.567, "$1,234.57")]
)
def test_small_amounts_have_four_decimals(dollars, text):
    assert money(dollars) == text
