"""Testing routing rules: to whom a message would go, and why."""

import re
from html import unescape

import pytest
from django.urls import reverse

from designer.editor.actions.rules import add_rule
from designer.models import Edit
from orchestration.definition import Comparison, Conditions, Rule
from tests.designer.editor_page import RULE
from tests.designer.editor_requests import HTMX, draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    pipeline = draw(user, "intake", "review", default_agent_id="agent-intake")
    vip = Conditions(channel_types=("sms",), intents=("billing",))
    rows = (
        Comparison(field="event.text", operator="contains", value="help"),
        Comparison(field="state.handoff_count", operator="at_least", value=3),
    )
    late = Conditions(match="any", rows=rows, custom="event.metadata.vip == true")
    for key, priority, conditions in (("vip", 1, vip), ("late", 2, late)):
        rule = Rule(id=key, agent_id="agent-review", priority=priority, conditions=conditions)
        add_rule(pipeline=pipeline, user=user, rule=rule)
    return pipeline


def ask(client, pipeline, **fields):
    typed = {f"test-{name}": value for name, value in fields.items() if "-" not in name}
    url = reverse("test_rules", args=[pipeline.pk])
    response = client.post(url, {"test-phase": "intake", **typed}, headers=HTMX)
    assert response.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", response.text)).split())


def test_the_answer_is_a_sentence_and_every_step_to_it(client, pipeline):
    said = ask(client, pipeline, channel_type="sms", intent="billing")
    assert said.startswith(
        "An SMS with intent billing in stage intake goes to Review, because rule vip holds."
    )
    assert "Active agent No agent has the conversation yet." in said
    assert "vip holds: it goes to Review. channel is sms : holds and intent is billing" in said
    assert "late is not checked any more." in said
    assert said.endswith("Default is not needed.")


def test_what_does_not_hold_says_what_there_is_instead(client, pipeline):
    said = ask(client, pipeline, channel_type="sms", intent="refund", text="Hello")
    assert "goes to Intake, because no rule holds, and it is the default agent." in said
    assert "vip does not hold." in said
    assert "intent is billing : does not hold : it is refund" in said
    assert "any of: message contains help : does not hold : it is Hello" in said
    assert "or handoffs so far at least 3 : does not hold : it is 0" in said
    assert "The expression failed: Key not found in map" in said


def test_rare_things_can_be_said_too(client, pipeline):
    said = ask(client, pipeline, handoff_count="3", metadata='{"vip": true}')
    assert "A web message in stage intake goes to Review, because rule late is the first" in said


@pytest.mark.parametrize(
    ("active", "goes"),
    [
        ("agent-review", "goes to Review, because the active agent answers again."),
        ("human", "goes to the human, because the human has the conversation."),
        ("gone", "goes to Review, because rule vip holds."),
    ],
)
def test_whoever_has_the_conversation_comes_before_the_rules(client, pipeline, active, goes):
    said = ask(client, pipeline, channel_type="sms", intent="billing", active_agent_id=active)
    assert goes in said


@pytest.mark.parametrize(
    ("topology", "why"),
    [
        ("workflow", "in a workflow no rule is checked, and it serves the entry"),
        ("pipeline", "there is no rule, and it serves the entry"),
    ],
)
def test_where_no_rule_is_asked_the_answer_says_so(client, user, topology, why):
    said = ask(client, draw(user, "intake", topology=topology))
    assert f"goes to Intake, because {why}." in said


def test_where_nobody_answers_the_answer_says_so(client, user):
    said = ask(client, draw(user), phase="")
    assert "A web message goes to no agent, because there is no rule" in said


def test_a_wrong_rule_is_passed_over_and_says_what_is_wrong(client, user, pipeline):
    rule = Rule(id="bad", agent_id="agent-review", conditions=Conditions(custom="event.textt"))
    add_rule(pipeline=pipeline, user=user, rule=rule)
    said = ask(client, pipeline, channel_type="sms", intent="billing")
    assert "bad could not be checked, so it is skipped." in said
    assert "There is no 'event.textt'" in said


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
def test_what_cannot_be_is_told(client, pipeline, field, value, label):
    said = ask(client, pipeline, **{field: value})
    assert said.startswith(label)
    assert "goes to" not in said


def test_a_rule_that_is_being_written_is_asked_as_it_stands(client, pipeline):
    url = reverse("test_rules", args=[pipeline.pk])
    fields = RULE | {"priority": "0", "channel_types": "web", "test-phase": "intake"}
    said = unescape(client.post(url, fields, headers=HTMX).text)
    assert "goes to Review, because rule by-sms holds." in said
    assert "With rule by-sms as in the open form." in said
    said = unescape(client.post(url, fields | {"id": ""}, headers=HTMX).text)
    assert "goes to Intake" in said
    assert "it is not complete" in said
    assert len(now(pipeline).rules) == 2


def test_what_was_typed_is_remembered_and_nothing_of_the_pipeline_changes(client, pipeline):
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


def test_the_form_offers_the_stages_agents_and_intents_there_are(client, pipeline):
    html = client.get(reverse("show_tester", args=[pipeline.pk]), headers=HTMX).text
    for value in ("review", "agent-review", "human", "billing", "voice"):
        assert f'<option value="{value}"' in html
    assert '<option value="intake" selected>' in html
