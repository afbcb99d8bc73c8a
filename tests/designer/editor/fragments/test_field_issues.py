"""Errors of a part, by the field that shows the value at their path."""

import pytest

from designer.editor.fragments.field_issues import field_issues
from orchestration.validation import Issue, Severity, Where

FIELDS = {"conditions": "conditions", "conditions.rows[0]": "value", "name": "name"}


def issue(
    path: str, *, key: str = "r", severity: Severity = "error", message: str = "Wrong."
) -> Issue:
    return Issue(code="test", severity=severity, message=message, where=Where("rule", (key,), path))


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("$.rules[3].name", "name"),
        ("$.rules[3].conditions.custom", "conditions"),
        ("$.rules[3].conditions.rows[0].value", "value"),
        ("$.rules[3].conditions.rows[1]", "conditions"),
    ],
)
def test_an_error_is_shown_at_the_most_specific_field(path, field):
    assert field_issues([issue(path)], "rule", ("r",), FIELDS) == {field: "Wrong."}


@pytest.mark.parametrize(
    "other",
    [
        issue("$.rules[0].name", key="other"),
        issue("$.rules[0].name", severity="warning"),
        issue("$.rules[0].names"),
        issue("$.rules[0]"),
    ],
)
def test_warnings_other_parts_and_unknown_paths_are_not_shown(other):
    assert field_issues([other], "rule", ("r",), FIELDS) == {}


def test_several_errors_of_a_field_are_joined():
    issues = [issue("$.rules[0].name"), issue("$.rules[0].name", message="Too long.")]
    assert field_issues(issues, "rule", ("r",), FIELDS) == {"name": "Wrong. Too long."}
