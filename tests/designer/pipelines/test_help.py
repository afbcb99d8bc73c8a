"""Help topics."""

import re

import pytest
from django.urls import reverse
from django.utils.html import escape

from designer.pipelines.help import EXPLANATIONS, topic
from orchestration.definition import PipelineDefinition
from orchestration.validation import HELP, validate

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_every_issue_has_a_topic_with_a_valid_example(client, code):
    html = client.get(reverse("problem_help", args=[code])).content.decode()
    assert EXPLANATIONS[code].title in html
    assert "Why it matters" in html
    assert "What to do" in html
    assert "An example" in html
    page = topic(code)
    assert PipelineDefinition.model_validate_json(page.text) == page.example
    assert escape("".join(text for text, _ in page.sentence)) in re.sub("</?b>", "", html)
    issues = {issue.code for issue in validate(page.example) if issue.severity == "error"}
    assert code in HELP or not issues, "the example of an app issue has no errors"
