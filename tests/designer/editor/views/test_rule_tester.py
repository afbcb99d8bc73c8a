"""The form that tests the routing rules."""

from html import unescape

import pytest
from django.urls import reverse

from designer.models import Edit
from tests.designer.editor.routing_questions import ask, draw_with_rules
from tests.designer.editor_page import RULE
from tests.designer.editor_requests import HTMX, draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw_with_rules(user)


@pytest.mark.parametrize(
    ("field", "value", "label"),
    [
        ("metadata", "[1]", "Metadata"),
        ("metadata", "{", "Metadata"),
        ("messages", "many", "Messages so far"),
        ("handoff_count", "-1", "Handoffs so far"),
        ("channel_type", "x" * 121, "Channel"),
        ("phase", "x" * 65, "Stage"),
        ("intent", "a\x00b", "Intent"),
    ],
)
def test_an_invalid_field_is_named_in_the_error(client, pipeline, field, value, label):
    text = ask(client, pipeline, **{field: value})
    assert text.startswith(label)
    assert "goes to" not in text


def test_the_rule_in_the_open_form_is_tested_unsaved(client, pipeline):
    url = reverse("test_rules", args=[pipeline.pk])
    fields = RULE | {"priority": "0", "channel_types": "web", "test-phase": "intake"}
    text = unescape(client.post(url, fields, headers=HTMX).text)
    assert "goes to Review, because rule by-sms holds." in text
    assert "With rule by-sms as in the open form." in text
    text = unescape(client.post(url, fields | {"id": ""}, headers=HTMX).text)
    assert "goes to Intake" in text
    assert "it is not complete" in text
    assert len(now(pipeline).rules) == 2


def test_the_last_message_is_stored_without_an_edit_of_the_pipeline(client, pipeline):
    edits = Edit.objects.count()
    ask(client, pipeline, channel_type="sms", metadata='{"a": 1}', text="Hello <b>")
    html = client.get(reverse("show_tester", args=[pipeline.pk]), headers=HTMX).text
    assert 'value="sms"' in html
    assert "Hello &lt;b&gt;</textarea>" in html
    assert '<details class="row__more" open>' in html
    assert Edit.objects.count() == edits
    for _ in range(7):
        ask(client, draw(pipeline.owner, "intake"))
    assert len(client.session["tester"]) == 5


def test_the_form_offers_existing_stages_agents_and_intents(client, pipeline):
    html = client.get(reverse("show_tester", args=[pipeline.pk]), headers=HTMX).text
    for value in ("review", "agent-review", "human", "billing", "voice"):
        assert f'<option value="{value}"' in html
    assert '<option value="intake" selected>' in html
