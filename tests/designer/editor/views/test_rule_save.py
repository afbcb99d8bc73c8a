"""Routing rules that two people changed: merged field by field, or chosen from."""

import re
from html import unescape

import pytest
from django.urls import reverse

from tests.designer.editor_page import RULE, field_error, hidden
from tests.designer.editor_requests import HTMX, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def opened(client, pipeline):
    """Fields of a rule's form that both users have open: `opened(intents="refund")`."""
    compared = {
        "comparison-TOTAL_FORMS": "1",
        "comparison-INITIAL_FORMS": "1",
        "comparison-0-field": "event.text",
        "comparison-0-operator": "contains",
        "comparison-0-value": "help",
    }
    send(client, pipeline, "add_rule", **RULE, **compared)
    url = reverse("edit_rule", args=[pipeline.pk])
    html = client.get(url, {"rule": "by-sms"}, headers=HTMX).text
    head = {name: unescape(hidden(html, name)) for name in ("rule_base", "rule_was")}
    as_is = RULE | compared | head | {"rule": "by-sms", "id": "by-sms", "match": "all"}
    as_is |= {"priority_shown": "2", "panel": "rules", "open_rule": "by-sms"}
    return lambda **changes: as_is | changes


def rule(pipeline):
    return now(pipeline).rules[0]


def test_changes_of_different_fields_of_a_rule_are_merged(client, other_client, pipeline, opened):
    send(other_client, pipeline, "update_rule", **opened(intents="refund"))
    response = send(client, pipeline, "update_rule", **opened(channel_types="email"))
    assert response.status_code == 200
    conditions = rule(pipeline).conditions
    assert (conditions.intents, conditions.channel_types) == (("refund",), ("email",))
    assert "Rule by-sms is saved, with the changes by grace." in response.text
    assert "rule-form" in swapped(response), "the form shows the values of both"


def test_a_rule_that_saves_itself_can_be_renamed_and_gets_a_new_error(client, pipeline):
    send(client, pipeline, "add_rule", panel="rules", **RULE)
    changed = RULE | {"rule": "by-sms", "id": "By fax", "custom": "event.textt == 'b'"}
    response = send(client, pipeline, "update_rule", panel="rules", **changed)
    assert 'name="rule" value="by-fax"' in response.text
    assert "is wrong at column" in field_error(response, "custom")
    response = send(client, pipeline, "update_rule", **changed | {"rule": "by-fax", "id": ""})
    assert response.status_code == 422
    assert now(pipeline).rules[0].id == "by-fax"


@pytest.mark.parametrize(
    ("choice", "value"),
    [
        ({"choose-comparison": "mine"}, "mine"),
        ({"choose-comparison": "theirs"}, "theirs"),
        ({"choose_all": "theirs"}, "theirs"),
    ],
)
def test_changes_of_the_same_field_of_a_rule_require_a_choice(
    client, other_client, pipeline, opened, choice, value
):
    theirs = {"comparison-0-value": "theirs", "intents": "refund"}
    send(other_client, pipeline, "update_rule", **opened(**theirs))
    response = send(client, pipeline, "update_rule", **opened(**{"comparison-0-value": "mine"}))
    assert response.status_code == 412
    assert swapped(response) == {"rule-merge"}, "what was typed stays in its form"
    assert "changed by grace" in response.text
    assert 'id="rule-merge-difference"' in response.text
    assert "<del>theirs</del><ins>mine</ins>" in response.text
    assert rule(pipeline).conditions.rows[0].value == "theirs", "nothing is saved yet"

    [kept] = re.findall(r'name="merge" value="([^"]*)"', response.text)
    response = send(client, pipeline, "update_rule", merge=unescape(kept), panel="rules", **choice)
    assert response.status_code == 200
    conditions = rule(pipeline).conditions
    assert (conditions.rows[0].value, conditions.intents) == (value, ("refund",))


def test_an_outdated_choice_is_requested_again(client, other_client, pipeline, opened):
    send(other_client, pipeline, "update_rule", **opened(intents="theirs"))
    response = send(client, pipeline, "update_rule", **opened(intents="mine"))
    [kept] = re.findall(r'name="merge" value="([^"]*)"', response.text)
    later = opened(intents="later")
    del later["rule_base"]  # they have seen the current values
    send(other_client, pipeline, "update_rule", **later)
    chosen = {"merge": unescape(kept), "choose-intents": "mine"}
    assert send(client, pipeline, "update_rule", **chosen).status_code == 412


@pytest.mark.parametrize("was", ["no json", '{"comparison": 3}', "[]"])
def test_malformed_old_values_of_a_rule_are_refused(client, other_client, pipeline, opened, was):
    send(other_client, pipeline, "update_rule", **opened(intents="refund"))
    fields = opened(channel_types="email", rule_was=was)
    response = send(client, pipeline, "update_rule", **fields)
    assert response.status_code == 422
    assert "cannot be read" in response.text
    assert rule(pipeline).conditions.intents == ("refund",)
