"""Problems: their fixes, and the pages that explain them."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from designer.canvas.problem_form import issue_token
from designer.models import Edit
from designer.pipelines.actions import import_definition
from orchestration.validation import validate
from orchestration.validation.fixes import find_fix
from orchestration.validation.rule_list import HELP
from tests.designer.editor_page import page
from tests.designer.editor_requests import draw, now, send

pytestmark = pytest.mark.django_db

EXAMPLES = {code: rule.example for code, rule in HELP.items()}

UNDRAWABLE = {
    "agent-duplicate",
    "group-misplaced",
    "group-stage-agent",
    "human-stage-agent",
    "next-duplicate",
    "rule-agent-unknown",
    "rule-duplicate",
    "stage-agent-unknown",
    "stage-duplicate",
    "supervisor-unknown",
    "default-agent-unknown",
    "entry-unknown",
    "tool-duplicate",
    "transition-duplicate",
    "transition-unknown",
}
"""Problems that no rows can have: the import rejects them, or they cannot be drawn."""

MENDED = [
    code
    for code, example in EXAMPLES.items()
    if code not in UNDRAWABLE
    and find_fix(example, next(one for one in validate(example) if one.code == code))
]


@pytest.mark.parametrize("code", MENDED)
def test_a_problem_is_fixed_and_undo_restores_it(client, user, code):
    pipeline = import_definition(user=user, definition=EXAMPLES[code])
    before = now(pipeline)
    issue = next(one for one in validate(before) if one.code == code)
    html = page(client, pipeline)
    fix = find_fix(before, issue)
    assert fix
    assert f">{escape(fix.title)}</button>" in html
    response = send(client, pipeline, "fix_problem", issue=issue_token(issue))
    assert response.status_code == 200
    assert issue not in validate(now(pipeline))
    assert Edit.objects.get(pipeline=pipeline).label == fix.title
    send(client, pipeline, "undo")
    assert now(pipeline) == before


def test_fixing_a_solved_problem_is_refused(client, user):
    pipeline = draw(user, "intake", "review")
    token = issue_token(validate(EXAMPLES["ping-pong"])[0])
    response = send(client, pipeline, "fix_problem", issue=token)
    assert response.status_code == 409
    assert "no longer exists" in response.content.decode()
    assert not Edit.objects.exists()


def test_a_problem_without_a_fix_is_refused(client, user):
    pipeline = import_definition(user=user, definition=EXAMPLES["loop-closed"])
    token = issue_token(validate(now(pipeline))[0])
    assert send(client, pipeline, "fix_problem", issue=token).status_code == 409


def test_a_fix_without_a_problem_is_refused(client, user):
    response = send(client, draw(user, "intake"), "fix_problem")
    assert response.status_code == 422
    assert "The problem is missing." in response.content.decode()


def test_a_problem_links_to_its_page(client, user):
    pipeline = import_definition(user=user, definition=EXAMPLES["ping-pong"])
    html = page(client, pipeline)
    assert reverse("problem_help", args=["ping-pong"]) in html


def test_equal_problems_are_fixed_together(client, user):
    pipeline = import_definition(user=user, definition=EXAMPLES["stage-agentless"])
    html = page(client, pipeline)
    assert 'data-group="A stage without an agent" data-fix-all' in html
    response = send(client, pipeline, "fix_problems", code="stage-agentless")
    assert response.status_code == 200
    assert "stage-agentless" not in {one.code for one in validate(now(pipeline))}
    assert send(client, pipeline, "fix_problems", code="stage-agentless").status_code == 409
    assert send(client, pipeline, "fix_problems").status_code == 422
