"""Explanation of a routing decision."""

import pytest

from designer.editor.actions.rules import add_rule
from orchestration.definition import Conditions, Rule
from tests.designer.editor.routing_questions import ask, draw_with_rules
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw_with_rules(user)


def test_the_answer_has_a_sentence_and_every_step(client, pipeline):
    text = ask(client, pipeline, channel_type="sms", intent="billing")
    assert text.startswith(
        "An SMS with intent billing in stage intake goes to Review, because rule vip holds."
    )
    assert "Active agent No agent has the conversation yet." in text
    assert "vip holds: it goes to Review. channel is sms : holds and intent is billing" in text
    assert "late is not checked any more." in text
    assert text.endswith("Default is not needed.")


def test_an_unmet_condition_shows_the_actual_value(client, pipeline):
    text = ask(client, pipeline, channel_type="sms", intent="refund", text="Hello")
    assert "goes to Intake, because no rule holds, and it is the default agent." in text
    assert "vip does not hold." in text
    assert "intent is billing : does not hold : it is refund" in text
    assert "any of: message contains help : does not hold : it is Hello" in text
    assert "or handoffs so far at least 3 : does not hold : it is 0" in text
    assert "The expression failed: Key not found in map" in text


def test_rare_fields_of_a_message_can_be_tested(client, pipeline):
    text = ask(client, pipeline, handoff_count="3", metadata='{"vip": true}')
    assert "A web message in stage intake goes to Review, because rule late is the first" in text


@pytest.mark.parametrize(
    ("active", "goes"),
    [
        ("agent-review", "goes to Review, because the active agent answers again."),
        ("human", "goes to the human, because the human has the conversation."),
        ("gone", "goes to Review, because rule vip holds."),
    ],
)
def test_the_active_agent_takes_precedence_over_the_rules(client, pipeline, active, goes):
    text = ask(client, pipeline, channel_type="sms", intent="billing", active_agent_id=active)
    assert goes in text


@pytest.mark.parametrize(
    ("topology", "why"),
    [
        ("workflow", "in a workflow no rule is checked, and it serves the entry"),
        ("pipeline", "there is no rule, and it serves the entry"),
    ],
)
def test_the_answer_explains_a_decision_without_rules(client, user, topology, why):
    text = ask(client, draw(user, "intake", topology=topology))
    assert f"goes to Intake, because {why}." in text


def test_the_answer_explains_a_message_without_an_agent(client, user):
    text = ask(client, draw(user), phase="")
    assert "A web message goes to no agent, because there is no rule" in text


def test_a_rule_with_an_error_is_skipped_and_shows_the_error(client, user, pipeline):
    rule = Rule(id="bad", agent_id="agent-review", conditions=Conditions(custom="event.textt"))
    add_rule(pipeline=pipeline, user=user, rule=rule)
    text = ask(client, pipeline, channel_type="sms", intent="billing")
    assert "bad could not be checked, so it is skipped." in text
    assert "There is no 'event.textt'" in text
