"""The forms of routing rules."""

import pytest
from django.urls import reverse

from tests.designer.drawing import draw, now, send, swapped
from tests.designer.editing import RULE, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_rule_is_added_changed_and_deleted(client, pipeline):
    response = send(client, pipeline, "add_rule", panel="rules", **RULE)
    assert {"rules-table", "rule-form"} <= swapped(response)
    rule = now(pipeline).rules[0]
    assert (rule.id, rule.conditions.channel_types) == ("by-sms", ("sms", "voice"))
    changed = RULE | {"rule": "by-sms", "id": "by-sms", "channel_types": "", "intents": "refund"}
    send(client, pipeline, "update_rule", panel="rules", **changed)
    rule = now(pipeline).rules[0]
    assert (rule.conditions.channel_types, rule.conditions.intents) == (None, ("refund",))
    send(client, pipeline, "delete_rule", panel="rules", rule="by-sms")
    assert now(pipeline).rules == ()
    assert send(client, pipeline, "delete_rule", rule="by-sms").status_code == 409
    assert send(client, pipeline, "update_rule", **changed).status_code == 409


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""), ("id", "taken"), ("agent_id", ""), ("agent_id", "gone"), ("priority", "high"),
        ("phases", "Not A Key"), ("intents", "x" * 121), ("custom", "x" * 1001),
    ],
)  # fmt: skip
def test_a_field_of_a_rule_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_rule", **(RULE | {"id": "taken"}))
    response = send(client, pipeline, "add_rule", **(RULE | {field: value}))
    assert response.status_code == 422
    assert told(response, field)


def test_the_form_of_a_rule_shows_it_and_one_that_is_gone_is_not_there(client, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    url = reverse("edit_rule", args=[pipeline.pk])
    assert "sms\nvoice" in client.get(url, {"rule": "by-sms"}).content.decode()
    assert "Add rule" in client.get(url).content.decode()
    assert client.get(url, {"rule": "gone"}).status_code == 404
