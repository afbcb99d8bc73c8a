"""Views of the routing rules in the bottom panel."""

import pytest
from django.urls import reverse

from designer.definitions.patches import Settings
from designer.editor.actions.rules import add_rule
from designer.pipelines.settings import update_settings
from orchestration.definition import Rule
from tests.designer.editor_page import RULE
from tests.designer.editor_requests import HTMX, draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    pipeline = draw(user, "intake", "review")
    for place, key in enumerate(("first", "second")):
        rule = Rule(id=key, agent_id="agent-review", priority=place)
        add_rule(pipeline=pipeline, user=user, rule=rule)
    return pipeline


def rules(pipeline):
    return [rule.id for rule in now(pipeline).rules]


def test_the_form_of_an_unknown_rule_is_not_found(client, pipeline):
    url = reverse("edit_rule", args=[pipeline.pk])
    assert 'value="first"' in client.get(url, {"rule": "first"}, headers=HTMX).text
    assert client.get(url, {"rule": "gone"}, headers=HTMX).status_code == 404


def test_a_row_is_added_to_the_form_without_an_edit(client, pipeline):
    url = reverse("rule_rows", args=[pipeline.pk])
    count = pipeline.edits.count()
    sent = {"comparison-TOTAL_FORMS": "0", "comparison-INITIAL_FORMS": "0", "add_row": ""}
    html = client.post(url, sent | {"form_token": "i12345678"}, headers=HTMX).text
    assert 'name="comparison-0-field"' in html
    assert pipeline.edits.count() == count


def test_comparisons_offer_the_variables_and_the_table_names_them(client, user, pipeline):
    update_settings(pipeline=pipeline, user=user, settings=Settings(variables={"plan": "basic"}))
    option = '<option value="variables.plan">Variable plan</option>'
    row = {"comparison-TOTAL_FORMS": "1", "comparison-INITIAL_FORMS": "0"}
    row |= {"comparison-0-operator": "is", "comparison-0-value": "pro"}
    url = reverse("rule_rows", args=[pipeline.pk])
    html = client.post(url, row | {"add_row": "", "form_token": "i12345678"}, headers=HTMX).text
    assert html.count(option) == 2
    fields = RULE | row | {"comparison-0-field": "variables.plan"}
    response = send(client, pipeline, "add_rule", **fields, panel="rules")
    assert "variable plan is" in response.text
    (saved,) = now(pipeline).rules[-1].conditions.rows
    assert (saved.field, saved.value) == ("variables.plan", "pro")
    send(client, pipeline, "undo")
    update_settings(pipeline=pipeline, user=user, settings=Settings(variables={}))
    send(client, pipeline, "add_rule", **fields)
    form = client.get(reverse("edit_rule", args=[pipeline.pk]), {"rule": "by-sms"}, headers=HTMX)
    assert '<option value="variables.plan" selected>' in form.text


def test_the_expression_offers_the_declared_variables(client, user, pipeline):
    variables = {"customer.name": "Ada"}
    update_settings(pipeline=pipeline, user=user, settings=Settings(variables=variables))
    form = client.get(reverse("edit_rule", args=[pipeline.pk]), {"rule": "first"}, headers=HTMX)
    assert form.text.count("variables.customer.name") >= 2
    assert "default: Ada." in form.text
    update_settings(pipeline=pipeline, user=user, settings=Settings(variables={}))
    form = client.get(reverse("edit_rule", args=[pipeline.pk]), {"rule": "first"}, headers=HTMX)
    assert "default: Ada." not in form.text


def test_a_new_rule_closes_its_form_and_updates_the_table(client, pipeline):
    response = send(client, pipeline, "add_rule", **RULE, panel="rules")
    assert {"rules-table", "rule-form"} <= swapped(response)
    assert rules(pipeline) == ["first", "second", "by-sms"]


def test_a_new_rule_without_a_name_gets_a_free_one(client, pipeline):
    url = reverse("edit_rule", args=[pipeline.pk])
    assert 'placeholder="rule-1"' in client.get(url, headers=HTMX).text
    for _ in range(2):
        assert send(client, pipeline, "add_rule", **RULE | {"id": " "}).status_code == 200
    assert {"rule-1", "rule-2"} < set(rules(pipeline))
    assert 'placeholder="rule-3"' in client.get(url, headers=HTMX).text
    kept = send(client, pipeline, "update_rule", **RULE | {"rule": "rule-1", "id": ""})
    assert kept.status_code == 422
    assert "_helptext" not in kept.text, "the field has no help text to replace"


def test_a_moved_rule_is_announced_with_its_new_place(client, pipeline):
    response = send(client, pipeline, "move_rule", rule="second", before="first")
    assert "Rule second is number 1 of 2." in response.text
    assert rules(pipeline) == ["second", "first"]


def test_a_duplicate_follows_its_rule_and_is_announced(client, pipeline):
    response = send(client, pipeline, "duplicate_rule", rule="first")
    assert "it is checked right after it." in response.text
    before, copy, after = rules(pipeline)
    assert (before, after) == ("first", "second")
    assert copy.startswith("first")


def test_deleting_a_rule_closes_only_its_own_form(client, pipeline):
    shown = {"panel": "rules", "open_rule": "second"}
    assert "rule-form" not in swapped(
        send(client, pipeline, "delete_rule", deleted="first", **shown)
    )
    assert "rule-form" in swapped(send(client, pipeline, "delete_rule", rule="second", **shown))
    assert rules(pipeline) == []
