"""Help of the rules: each issue has an explanation, an example and often a fix."""

import re
from pathlib import Path

import pytest

from orchestration import validation
from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from orchestration.validation.rule_list import HELP

EXAMPLES = {code: rule.example for code, rule in HELP.items()}

FOLDER = Path(validation.__file__).parent

# A person must decide, so there is no fix.
WITHOUT_A_FIX = {
    "agent-duplicate",
    "agent-reserved",
    "agent-twice",
    "agent-uninstructed",
    "comparison-invalid",
    "comparison-unknown",
    "condition-invalid",
    "dead-end",
    "filter-invalid",
    "http-address-wrong",
    "http-argument-unused",
    "http-key-shown",
    "input-schema-invalid",
    "loop-closed",
    "loop-endless",
    "mcp-server-missing",
    "rule-duplicate",
    "stage-agent-unknown",
    "stage-duplicate",
    "stages-missing",
    "subtask-unnamed",
    "supervisor-serves-stage",
    "team-leaderless",
    "team-worker-human",
    "tool-duplicate",
}


def codes_in_the_rules() -> set[str]:
    """Return the codes in the source of the rules."""
    sources = (path.read_text() for path in FOLDER.rglob("*.py"))
    pattern = re.compile(r'(?:error|warning)"?[(,]\s*"([a-z]+(?:-[a-z]+)+)"')
    return {code for source in sources for code in pattern.findall(source)}


def test_each_code_has_an_explanation_and_an_example() -> None:
    found = codes_in_the_rules()
    assert len(found) > 50
    assert HELP.keys() == found


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_has_the_issue_and_at_most_one_other(code: str) -> None:
    found = [issue.code for issue in validate(EXAMPLES[code])]
    assert code in found
    assert len(found) <= 2, found


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_fix_of_an_example_adds_no_other_issue(code: str) -> None:
    example = EXAMPLES[code]
    issues = validate(example)
    issue = next(issue for issue in issues if issue.code == code)
    fix = find_fix(example, issue)
    assert (fix is None) == (code in WITHOUT_A_FIX)
    if fix is None:
        return
    assert fix.title
    others = {issue.code for issue in issues} - {code}
    assert {left.code for left in validate(apply_fix(example, fix))} <= others
