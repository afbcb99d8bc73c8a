"""Building blocks of fixes."""

from orchestration.validation import Draft, Fix, Issue, Where, validate
from orchestration.validation.fix_steps import connect_stages, describe_object, removing, setting
from orchestration.validation.fixes import find_fix
from orchestration.validation.sketches import sketch


def test_a_transition_that_is_never_taken_is_not_a_fix() -> None:
    definition = sketch("write > check, check > write, other > check", topology="workflow")
    issue = next(one for one in validate(definition) if one.code == "stage-unreachable")
    assert find_fix(definition, issue) is None


def issue_at(path: str, *keys: str) -> Issue:
    return Issue("code", "error", "A message.", Where("rule", keys, path))


def test_a_value_is_set_or_removed_at_the_path_of_the_issue() -> None:
    draft, issue = Draft(sketch("intake")), issue_at("$.rules[1].conditions.phases[0]")
    set_none = setting("Choose none", None)(draft, issue)
    assert set_none == Fix("Choose none", (("set", issue.where.path, None),))
    remove_rule = removing("Delete the rule", 2)(draft, issue)
    assert remove_rule == Fix("Delete the rule", (("remove", "$.rules[1]", None),), is_repair=False)


def test_a_second_transition_from_a_stage_is_a_return() -> None:
    definition = sketch("intake > review, review > reply")
    fix = connect_stages(definition, "intake", "reply")
    assert fix is not None
    [(action, path, data)] = fix.steps
    assert (action, path, data["kind"]) == ("append", "$.transitions", "return")
    assert connect_stages(definition, "intake", "review") is None


def test_a_schema_with_another_type_is_not_changed_to_an_object() -> None:
    for schema, is_fixed in (({}, True), ({"type": "array"}, False), ({"properties": 3}, False)):
        definition = sketch("intake", agents={"agent-intake": {"response_schema": schema}})
        issue = issue_at("$.agents[0].response_schema", "agent-intake")
        assert (describe_object(Draft(definition), issue) is not None) is is_fixed
