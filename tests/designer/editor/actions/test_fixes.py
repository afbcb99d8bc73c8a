"""Fixes of problems."""

import pytest

from designer.core.edit_errors import GoneError
from designer.core.undo import undo_edit
from designer.definitions import Settings
from designer.editor.actions.agents import add_agent
from designer.editor.actions.fixes import fix_all_issues, fix_issue
from designer.editor.actions.topology import STEP_RIGHT, add_stage
from designer.pipelines.settings import update_settings
from orchestration.definition import Position
from orchestration.validation import validate
from tests.designer.edit_actions import label
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def problem(actor, pipeline):
    """Return a problem with a fix: the pipeline has no entry."""
    update_settings(**actor, settings=Settings(entry=None))
    return next(issue for issue in validate(now(pipeline)) if issue.code == "entry-missing")


def test_a_fix_is_one_edit_with_the_title_of_the_fix(actor, pipeline, problem):
    before = now(pipeline)
    change = fix_issue(**actor, is_meant=problem.__eq__)
    assert problem not in validate(now(pipeline))
    assert label(actor) == change.label
    undo_edit(**actor)
    assert now(pipeline) == before


def test_a_fixed_problem_is_refused(actor, problem):
    fix_issue(**actor, is_meant=problem.__eq__)
    with pytest.raises(GoneError, match="That problem no longer exists"):
        fix_issue(**actor, is_meant=problem.__eq__)


def test_all_problems_of_a_rule_are_fixed_by_one_edit(actor, pipeline):
    for place in range(3):
        add_stage(**actor, at=Position(x=place * 300, y=600))
    before = now(pipeline)
    fix_all_issues(**actor, code="stage-agentless")
    assert all(stage.agent_id for stage in now(pipeline).stages)
    assert label(actor) == "Fix 3 problems: A stage without an agent"
    undo_edit(**actor)
    assert now(pipeline) == before


def test_each_added_stage_gets_a_free_position_beside_its_source(actor, pipeline):
    for name in ("Ada", "Grace"):
        add_agent(**actor, name=name)
        issue = next(issue for issue in validate(now(pipeline)) if issue.code == "agent-idle")
        fix_issue(**actor, is_meant=issue.__eq__)
    definition = now(pipeline)
    positions = definition.layout.stages
    assert positions.keys() == definition.stages_by_phase.keys()
    assert len({(at.x, at.y) for at in positions.values()}) == len(positions) == 5
    added = positions.keys() - {"intake", "review", "resolution"}
    assert {positions[phase].x for phase in added} == {positions["intake"].x + STEP_RIGHT}


@pytest.mark.parametrize("code", ["stage-agentless", "stage-unreachable", "unknown"])
def test_a_rule_without_problems_that_can_be_fixed_at_once_is_refused(actor, code):
    if code != "stage-agentless":
        add_stage(**actor, at=Position(x=0, y=600))
    with pytest.raises(GoneError, match="no longer exist"):
        fix_all_issues(**actor, code=code)
