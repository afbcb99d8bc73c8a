"""Form of the rule tester."""

import pytest

from designer.editor.forms.rule_tester import RuleTesterForm
from orchestration.definition import HUMAN, Agent, Conditions, PipelineDefinition, Rule, Stage

DEFINITION = PipelineDefinition(
    name="Desk",
    entry="intake",
    stages=(Stage(phase="intake", agent_id="clerk"), Stage(phase="review")),
    agents=(Agent(id="clerk", name="Clerk"),),
    rules=(Rule(id="r", agent_id="clerk", conditions=Conditions(intents=("refund", "order"))),),
)


def submitted(**fields):
    form = RuleTesterForm.sent({f"test-{name}": value for name, value in fields.items()})
    assert form.is_valid(), form.errors
    return form


def test_the_form_begins_at_the_entry_and_keeps_earlier_texts():
    form = RuleTesterForm.showing(DEFINITION, {"text": "Hello"})
    assert form["phase"].value() == "intake"
    assert form["text"].value() == "Hello"
    assert RuleTesterForm.showing(DEFINITION, {"phase": "review"})["phase"].value() == "review"


def test_empty_fields_make_a_message_of_the_channel_web():
    form = submitted(text="Hello")
    message = form.message
    assert (message.text, message.channel_type, message.intent) == ("Hello", "web", None)
    assert form.state.handoff_count == form.context.messages == 0


def test_the_fields_are_the_facts_of_the_test():
    form = submitted(
        text="Hello",
        channel_type="SMS",  # its name
        intent="refund",
        phase="review",
        active_agent_id="clerk",
        messages="3",
        handoff_count="2",
        metadata='{"vip": true}',
    )
    assert (form.message.channel_type, form.message.intent) == ("sms", "refund")
    assert form.message.metadata == {"vip": True}
    assert (form.state.phase, form.state.active_agent_id) == ("review", "clerk")
    assert (form.state.handoff_count, form.context.messages) == (2, 3)


def test_the_human_is_active_without_an_agent():
    state = submitted(active_agent_id=HUMAN).state
    assert (state.with_human, state.active_agent_id) == (True, None)


@pytest.mark.parametrize(
    ("fields", "is_used"), [({"intent": "refund"}, False), ({"metadata": '{"a": 1}'}, True)]
)
def test_the_form_reports_whether_a_rarely_used_field_is_used(fields, *, is_used):
    assert submitted(**fields).says_more is is_used


def test_typed_texts_can_be_shown_again():
    typed = submitted(text="Hello", messages="3").typed
    assert (typed["text"], typed["messages"], typed["intent"]) == ("Hello", "3", "")
