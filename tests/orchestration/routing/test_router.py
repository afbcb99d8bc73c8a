"""Selection of the agent for an inbound message."""

from typing import Any

import pytest

from orchestration.definition import Conditions
from orchestration.events import Event, MessageCompleted, MessageRouted, RoutingFailed
from orchestration.hooks import HookContext, Hooks, HookTrigger
from orchestration.messages import InboundMessage
from orchestration.routing import (
    PRIORITY,
    ConversationRouter,
    RoutingConditions,
    RoutingContext,
    RoutingRule,
)
from orchestration.state import ConversationState
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    every,
    four_stages,
    only,
    say,
    session_with,
    unchecked_session_with,
)

NEW = ConversationState()
HELLO = InboundMessage(id="1", text="hello")


def billing(priority: int = 0, **conditions: object) -> RoutingRule:
    return RoutingRule("agent-billing", RoutingConditions(**conditions), priority)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["phases", "channel_types", "intents", "source_channel_ids"])
def test_a_text_in_place_of_a_set_of_conditions_is_refused(field):
    """Contract O-4: a text would match each of its parts."""
    conditions: dict[str, Any] = {field: "invoice"}
    with pytest.raises(ValueError, match=f"{field} is the text 'invoice'"):
        RoutingConditions(**conditions)


def test_a_later_change_of_a_set_does_not_change_the_condition():
    """Contract O-4."""
    intents = {"invoice"}
    conditions = RoutingConditions(intents=intents)
    intents.add("refund")
    message = InboundMessage(id="1", text="", intent="refund")
    assert not conditions.hold(message, RoutingContext(), NEW)


def test_a_text_in_place_of_the_participants_is_refused():
    """Contract O-3."""
    with pytest.raises(ValueError, match="participants is the text 'agent-triage'"):
        ConversationRouter(participants="agent-triage")


def test_the_active_agent_comes_before_every_rule():
    """Contract O-3: affinity → rules → default."""
    router = ConversationRouter(rules=[billing()], default_agent_id=TRIAGE)
    decision = router.select(HELLO, NEW.assigned(HANDLER))
    assert (decision.agent_id, decision.by) == (HANDLER, "affinity")


def test_an_active_agent_that_does_not_participate_is_skipped():
    """Contract O-3: affinity requires a participating agent."""
    router = ConversationRouter(
        rules=[billing()], default_agent_id=TRIAGE, participants={TRIAGE, "agent-billing"}
    )
    decision = router.select(HELLO, NEW.assigned(HANDLER))
    assert (decision.agent_id, decision.by) == ("agent-billing", "rule")


def test_without_affinity_every_message_goes_to_the_entry():
    """Contract O-3: in a workflow and in a team every message begins at the entry."""
    router = ConversationRouter(default_agent_id=TRIAGE, affinity=False)
    assert router.select(HELLO, NEW.assigned(HANDLER)).agent_id == TRIAGE
    assert router.select(HELLO, NEW.transition("escalation")).by == "human"


def test_a_rule_for_an_agent_that_does_not_participate_is_skipped():
    router = ConversationRouter(rules=[billing()], default_agent_id=TRIAGE, participants={TRIAGE})
    assert router.select(HELLO, NEW).by == "default"


def test_rules_are_evaluated_by_ascending_priority_and_ties_in_order():
    """Contract O-3."""
    rules = [
        RoutingRule("agent-late", priority=10),
        RoutingRule("agent-zoe", priority=-5, id="two"),
        RoutingRule("agent-amy", priority=-5, id="one"),
    ]
    decision = ConversationRouter(rules=rules).select(HELLO, NEW)
    assert (decision.agent_id, decision.rule_id) == ("agent-zoe", "two")


def test_without_a_matching_rule_the_default_answers():
    """Contract O-3."""
    router = ConversationRouter(rules=[billing(intents={"billing"})], default_agent_id=TRIAGE)
    assert (router.select(HELLO, NEW).agent_id, router.select(HELLO, NEW).by) == (TRIAGE, "default")


def test_without_a_default_agent_no_agent_is_selected():
    decision = ConversationRouter().select(HELLO, NEW)
    assert (decision.agent_id, decision.by) == (None, "nobody")
    assert "no default agent" in decision.reason


def test_a_message_of_an_agent_is_never_routed_to_agents():
    """Contract O-3."""
    router = ConversationRouter(rules=[RoutingRule(HANDLER)], default_agent_id=TRIAGE)
    message = InboundMessage(id="1", text="hello", from_agent=TRIAGE)
    assert router.select(message, NEW.assigned(HANDLER)).agent_id is None


def test_no_agent_is_selected_while_the_human_answers():
    """Contract O-9."""
    router = ConversationRouter(rules=[RoutingRule(HANDLER)], default_agent_id=TRIAGE)
    assert router.select(HELLO, NEW.transition("escalation")).by == "human"


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({}, True),
        ({"phases": {"intake"}}, True),
        ({"phases": {"handling"}}, False),
        ({"phases": set()}, False),
        ({"channel_types": {"sms"}}, True),
        ({"channel_types": {"web"}}, False),
        ({"channel_types": set()}, False),
        ({"intents": {"billing", "refund"}}, True),
        ({"intents": set()}, False),
        ({"source_channel_ids": {"sms-1"}}, True),
        ({"source_channel_ids": {"sms-2"}}, False),
        ({"source_channel_ids": set()}, False),
        ({"custom": lambda event, context, state: event.text == "pay"}, True),
        ({"custom": lambda event, context, state: context.messages > 3}, False),
        ({"custom": lambda event, context, state: state.phase == "intake"}, True),
        ({"phases": {"intake"}, "intents": {"other"}}, False),
    ],
)
def test_conditions_are_anded_none_matches_any_and_empty_never(conditions, holds):
    """Contract O-4."""
    event = InboundMessage(
        id="1", text="pay", channel_type="sms", intent="billing", source_channel_id="sms-1"
    )
    assert RoutingConditions(**conditions).hold(event, RoutingContext(), NEW) is holds


def test_a_message_without_an_intent_matches_no_set_of_intents():
    """Contract O-4."""
    conditions = RoutingConditions(intents={"billing"})
    assert not conditions.hold(HELLO, RoutingContext(), NEW)


def test_a_predicate_that_raises_is_reported_and_its_rule_skipped():
    """Contract O-4: a routing error, never a lost message."""

    def broken(*_: object) -> bool:
        raise KeyError("customer")

    router = ConversationRouter(
        rules=[RoutingRule("agent-a", RoutingConditions(custom=broken), id="vip")],
        default_agent_id=TRIAGE,
    )
    decision = router.select(HELLO, NEW)
    assert decision.agent_id == TRIAGE
    assert decision.failures == (("vip", "KeyError: 'customer'"),)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("event.text.contains('hell') && state.phase == 'intake'", True),
        ("event.channel_type == 'sms'", False),
        ("event.intent == null && conversation.messages == 0", True),
        ("state.active_agent_id == null && state.handoff_count < 1", True),
        ("event.metadata.tier == 'gold'", True),
    ],
)
def test_a_condition_of_a_definition_is_cel(text, holds):
    """Contract O-4: over `event`, `conversation` and `state`."""
    conditions = RoutingConditions.from_definition(Conditions(custom=text))
    event = InboundMessage(id="1", text="hello", metadata={"tier": "gold"})
    assert conditions.hold(event, RoutingContext("s1"), NEW) is holds


def test_the_rows_of_a_definition_are_anded_with_the_sets():
    """Contract O-4."""
    rows = [{"field": "event.text", "operator": "contains", "value": "HELL"}]
    fields = {"phases": ["intake"], "rows": rows, "custom": "event.channel_type == 'web'"}
    conditions = RoutingConditions.from_definition(Conditions.model_validate(fields))
    assert conditions.hold(HELLO, RoutingContext(), NEW)
    assert not conditions.hold(HELLO, RoutingContext(), NEW.assigned(HANDLER).transition("other"))
    assert not conditions.hold(InboundMessage(id="1", text="bye"), RoutingContext(), NEW)
    phone = InboundMessage(id="1", text="hello", channel_type="voice")
    assert not conditions.hold(phone, RoutingContext(), NEW)


@pytest.mark.parametrize("text", ["event.", "event.metadata.none", "1 +", "event.text"])
async def test_an_invalid_condition_is_an_event_and_the_message_is_answered(text):
    """Contract O-4."""
    rules = [{"id": "vip", "agent_id": HANDLER, "conditions": {"custom": text}}]
    session = unchecked_session_with(PlayedModel([("Hello.",)]), four_stages(rules=rules))
    events = await say(session, "hi")
    assert only(RoutingFailed, events).rule_id == "vip"
    assert only(MessageRouted, events).agent_id == TRIAGE
    assert only(MessageCompleted, events).text == "Hello."


async def test_every_rule_that_fails_is_reported_once():
    """Contract O-4."""
    rules = [
        {"id": name, "agent_id": HANDLER, "conditions": {"custom": "event.metadata.none"}}
        for name in ("one", "two")
    ]
    session = session_with(PlayedModel([("Hello.",)]), four_stages(rules=rules))
    events = every(RoutingFailed, await say(session, "hi"))
    assert [event.rule_id for event in events] == ["one", "two"]


def test_the_supervisor_observes_every_routing_decision():
    """Contract O-5."""
    router = ConversationRouter(default_agent_id=TRIAGE, supervisor_id="agent-supervisor")
    for state in (NEW, NEW.assigned(HANDLER), NEW.transition("escalation")):
        assert router.select(HELLO, state).observers == ("agent-supervisor",)
    message = InboundMessage(id="1", text="hello", from_agent=HANDLER)
    assert router.select(message, NEW).observers == ("agent-supervisor",)


async def test_the_hook_stamps_its_choice_on_a_copy_before_the_hooks_of_users():
    """Contract O-6."""
    router = ConversationRouter(default_agent_id=TRIAGE, supervisor_id="agent-supervisor")
    hooks, seen = Hooks(), list[InboundMessage]()
    hooks.on(HookTrigger.BEFORE_BROADCAST)(lambda event, context: seen.append(event))
    hooks.on(HookTrigger.BEFORE_BROADCAST, priority=PRIORITY)(router.as_hook())
    message = InboundMessage(id="1", text="hi", metadata={"intent": "x"})
    assert not await hooks.call(HookTrigger.BEFORE_BROADCAST, message, HookContext("s1", NEW))
    assert PRIORITY == -100
    assert seen[0].metadata == {
        "intent": "x",
        "_routed_to": TRIAGE,
        "_always_process": ["agent-supervisor"],
    }
    assert message.metadata == {"intent": "x"}


async def test_the_hook_calls_observers_with_every_message_and_its_route(caplog):
    """Contract O-5."""
    seen: list[Event] = []

    async def observe(event: Event) -> None:
        seen.append(event)

    def fail(event: Event) -> None:
        raise RuntimeError("no")

    router = ConversationRouter(
        default_agent_id=TRIAGE, supervisor_id="agent-supervisor", observers=[fail, observe]
    )
    hooks = Hooks()
    routed = list[InboundMessage]()
    hooks.on(HookTrigger.BEFORE_BROADCAST, priority=PRIORITY)(router.as_hook())
    hooks.on(HookTrigger.BEFORE_BROADCAST)(lambda event, context: routed.append(event))
    for state in (NEW, NEW.transition("escalation")):
        assert not await hooks.call(HookTrigger.BEFORE_BROADCAST, HELLO, HookContext("s1", state))
    assert [event.type for event in seen] == ["message.received", "message.routed"] * 2
    assert {event.session_id for event in seen} == {"s1"}
    assert only(MessageRouted, seen[:2]).agent_id == TRIAGE
    assert [message.metadata["_routed_to"] for message in routed] == [TRIAGE, None]
    assert "RuntimeError: no" in caplog.text
