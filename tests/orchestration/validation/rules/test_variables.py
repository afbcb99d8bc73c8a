"""The rules about variables."""

from __future__ import annotations

import pytest

from orchestration.definition import Cue
from orchestration.validation import apply_fix, find_fix, validate
from orchestration.validation.sketches import one_transition, rule_sketch, sketch


def undeclared(definition):
    return [issue for issue in validate(definition) if issue.code == "variable-undeclared"]


def with_instructions(text, **changes):
    return sketch("intake > review", agents={"agent-intake": {"instructions": text}}, **changes)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Greet {{customer.name}}.", "'customer.name'"),
        ("Greet {{ name }} of {{ company }}.", "'name', 'company'"),
        ("Greet {{plan}} and {{Plan}}.", "'Plan'"),
    ],
)
def test_undeclared_names_in_instructions_are_reported_and_declared_by_the_fix(text, names):
    definition = with_instructions(text, variables={"plan": "pro"})
    (issue,) = undeclared(definition)
    assert names in issue.message or names.replace(", ", " and ") in issue.message
    assert issue.severity == "warning"
    assert issue.where.path == "$.agents[0].instructions"
    fix = find_fix(definition, issue)
    assert fix is not None
    fixed = apply_fix(definition, fix)
    assert undeclared(fixed) == []
    assert fixed.variables["plan"] == "pro"


def test_a_similar_name_is_suggested():
    (issue,) = undeclared(with_instructions("Plan: {{plam}}", variables={"plan": "pro"}))
    assert issue.message.endswith(" Did you mean 'plan'? Declare it, or correct the name.")


@pytest.mark.parametrize("text", ["{{#each items}}", "{{ }}", "{plan}", "{{plan}}", "{{ plan }}"])
def test_declared_names_and_other_brackets_are_not_reported(text):
    assert undeclared(with_instructions(text, variables={"plan": "pro"})) == []


def test_an_undeclared_name_in_the_answer_of_a_cue_is_reported():
    agents = {"agent-intake": {"cues": [Cue(say="Hello {{name}}").model_dump()]}}
    (issue,) = undeclared(sketch("intake > review", agents=agents))
    assert "'name'" in issue.message


@pytest.mark.parametrize(
    ("conditions", "name"),
    [
        ({"rows": [{"field": "variables.plam", "value": "pro"}]}, "plam"),
        ({"custom": "variables.plam == 'pro'"}, "plam"),
        ({"custom": "variables.customer.plam.contains('p')"}, "customer.plam"),
        ({"custom": "variables['customer.plam'] == 'pro'"}, "customer.plam"),
    ],
)
def test_an_undeclared_name_in_a_condition_is_reported(conditions, name):
    definition = rule_sketch(**conditions)
    (issue,) = undeclared(definition)
    assert (issue.where.kind, repr(name) in issue.message) == ("rule", True)
    fix = find_fix(definition, issue)
    assert fix is not None
    assert undeclared(apply_fix(definition, fix)) == []


def test_an_undeclared_name_in_a_message_filter_is_reported():
    keep = {"keep": "matching", "expression": "variables.plan == 'pro'"}
    definition = sketch("intake > review", transitions=one_transition(input_filter=keep))
    (issue,) = undeclared(definition)
    assert issue.where.kind == "transition"
