"""Table and form of the routing rules."""

import pytest

from designer.editor.fragments.rules import clauses, rule_base, rule_form, rule_rows, rules_panel
from orchestration.definition import Comparison, Conditions, Rule
from tests.designer.editor_requests import chain

TEXT = Comparison(field="event.text", operator="contains", value="help")
COUNT = Comparison(field="state.handoff_count", operator="at_least", value=3)


def with_rules(*keys: str, **fields):
    rules = tuple(
        Rule(id=key, agent_id="agent-intake", priority=place) for place, key in enumerate(keys)
    )
    return chain("intake", **fields).model_copy(update={"rules": rules})


def text_of(conditions: Conditions) -> str:
    return " ".join(
        " ".join(filter(None, (clause.joint, clause.words, clause.value)))
        for clause in clauses(conditions)
    )


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        (Conditions(), ""),
        (Conditions(channel_types=("sms", "voice")), "channel is sms or voice"),
        (
            Conditions(channel_types=("sms",), intents=("billing",)),
            "channel is sms and intent is billing",
        ),
        (Conditions(phases=()), "stage is never"),
        (Conditions(rows=(TEXT,), match="any"), "message contains help"),
        (
            Conditions(rows=(TEXT, COUNT), match="any"),
            "any of: message contains help or handoffs so far at least 3",
        ),
        (
            Conditions(intents=("x",), rows=(TEXT,), match="not"),
            "intent is x and none of: message contains help",
        ),
        (Conditions(custom="event.text == ''"), "event.text == ''"),
    ],
)
def test_conditions_are_shown_as_text(conditions, text):
    assert text_of(conditions) == text


def test_a_row_refers_to_its_neighbours_for_moves():
    rows = rule_rows(with_rules("a", "b", "c"))
    assert [(row.above, row.below) for row in rows] == [(None, "c"), ("a", ""), ("b", None)]


def test_an_unknown_agent_is_named_by_its_key():
    rule = Rule(id="r", agent_id="ghost", priority=1)
    [row] = rule_rows(chain("intake").model_copy(update={"rules": (rule,)}))
    assert row.agent_name == "ghost"


@pytest.mark.parametrize("topology", ["workflow", "team"])
def test_a_topology_without_routing_says_so(topology):
    panel = rules_panel(with_rules(topology=topology))
    assert panel["checked_when"] == ""
    assert "none would be checked" in panel["no_rules"]


def test_the_form_of_a_deleted_rule_is_none():
    definition = with_rules("a")
    assert rule_form(definition, "gone") is None
    new = rule_form(definition, "")
    assert new
    assert "rule_base" not in new


def test_the_base_of_a_rule_ignores_its_priority():
    [rule] = with_rules("a").rules
    assert rule_base(rule.model_copy(update={"priority": 9})) == rule_base(rule)
    assert rule_base(rule.model_copy(update={"agent_id": "other"})) != rule_base(rule)


def test_the_form_shows_the_errors_of_its_conditions_and_focuses_the_first():
    rule = Rule(id="a", agent_id="agent-intake", conditions=Conditions(custom="event.textt"))
    definition = chain("intake").model_copy(update={"rules": (rule,)})
    context = rule_form(definition, "a")
    assert context
    form = context["form"]
    assert "custom" in form.errors
    assert form.fields["custom"].widget.attrs["autofocus"]
    assert "autofocus" not in form.fields["id"].widget.attrs
