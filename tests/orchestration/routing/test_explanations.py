"""Explanations of routing decisions."""

from hypothesis import given
from hypothesis import strategies as st

from orchestration.conversation import CompiledPipeline, router_of
from orchestration.definition import Agent, Comparison, Conditions, PipelineDefinition, Rule, Stage
from orchestration.messages import InboundMessage
from orchestration.routing import (
    ConversationRouter,
    RoutingConditions,
    RoutingContext,
    RoutingRule,
)
from orchestration.state import ConversationState

WORDS = st.sampled_from(["a", "b", "c"])
SETS = st.none() | st.sets(WORDS, max_size=2).map(lambda words: tuple(sorted(words)))
ROWS = st.builds(
    Comparison,
    field=st.sampled_from(["event.text", "event.intent", "state.phase", "state.handoff_count"]),
    operator=st.sampled_from(["is", "is_not", "contains", "at_least"]),
    value=WORDS | st.integers(0, 2),
)
CUSTOM = st.none() | st.sampled_from(
    ["event.text == 'a'", "event.intent == null", "event.metadata.vip", "event.textt", "1 / 0 > 1"]
)
CONDITIONS = st.builds(
    Conditions,
    phases=SETS,
    channel_types=SETS,
    intents=SETS,
    match=st.sampled_from(["all", "any", "not"]),
    rows=st.lists(ROWS, max_size=2).map(tuple),
    custom=CUSTOM,
)
RULES = st.lists(st.tuples(WORDS, CONDITIONS, st.integers(-1, 1)), max_size=5).map(
    lambda parts: tuple(
        Rule(id=f"rule-{index}", agent_id=agent, priority=priority, conditions=conditions)
        for index, (agent, conditions, priority) in enumerate(parts)
    )
)
DRAFTS = st.builds(
    PipelineDefinition,
    name=st.just("Any"),
    topology=st.sampled_from(["pipeline", "swarm", "workflow"]),
    agents=st.just((Agent(id="a", name="A"), Agent(id="b", name="B"))),
    stages=st.just((Stage(phase="a", agent_id="a"), Stage(phase="b", agent_id="b"))),
    entry=st.none() | st.just("a"),
    default_agent_id=st.none() | WORDS,
    rules=RULES,
)
MESSAGES = st.builds(
    InboundMessage,
    id=st.just("1"),
    text=WORDS,
    channel_type=WORDS,
    intent=st.none() | WORDS,
    from_agent=st.none() | st.none() | WORDS,
)
STATES = st.builds(
    ConversationState,
    phase=WORDS,
    active_agent_id=st.none() | WORDS,
    with_human=st.booleans() | st.just(False),
)


@given(DRAFTS, MESSAGES, STATES)
def test_the_explained_decision_is_the_actual_one(draft, message, state):
    router = CompiledPipeline(draft).router
    explained = router.explain(message, state)
    assert explained.decision == router.select(message, state)
    assert explained.decision == router_of(draft).select(message, state)
    rules = [result.rule for result in explained.results] + list(explained.unevaluated)
    assert rules == sorted(router.rules, key=lambda rule: rule.priority)
    selected = [result for result in explained.results if result.outcome == "chose"]
    if explained.decision.by == "rule":
        assert selected == [explained.results[-1]]
        assert selected[0].rule.name == explained.decision.rule_id
    else:
        assert selected == []
    failed = [
        (result.rule.name, result.error)
        for result in explained.results
        if result.outcome == "failed"
    ]
    assert failed == list(explained.decision.failures)


@given(DRAFTS, MESSAGES, STATES)
def test_a_rule_matches_if_each_of_its_conditions_holds(draft, message, state):
    rules = {rule.id: rule for rule in draft.rules}
    for result in router_of(draft).explain(message, state).results:
        conditions = rules[result.rule.id].conditions
        rows = [each.holds for each in result.conditions if each.name.startswith("rows")]
        others = [each.holds for each in result.conditions if not each.name.startswith("rows")]
        enough = {"all": all(rows), "any": any(rows) or not rows, "not": not any(rows)}
        holds = all(others) and enough[conditions.match]
        if result.outcome == "chose":
            assert holds
        elif result.outcome == "unmet":
            assert not holds
        elif result.outcome == "failed":
            assert any(each.error for each in result.conditions)
        else:
            assert result.rule.agent_id not in draft.agents_by_id


def test_every_condition_of_a_rule_has_its_own_result():
    conditions = Conditions(
        channel_types=("sms",),
        intents=("billing",),
        rows=(
            Comparison(field="event.text", operator="contains", value="bill"),
            Comparison(field="state.handoff_count", operator="contains", value="3"),
        ),
        custom="event.metadata.vip == true",
    )
    rule = RoutingRule("agent-billing", RoutingConditions.from_definition(conditions), id="vip")
    message = InboundMessage(id="1", text="My bill", channel_type="sms", intent="other")
    [result] = ConversationRouter(rules=[rule]).explain(message, ConversationState()).results
    assert result.outcome == "unmet"
    holds = {each.name: each.holds for each in result.conditions}
    assert holds == {
        "channel_types": True,
        "intents": False,
        "rows[0]": True,
        "rows[1]": False,
        "custom": False,
    }
    failed = {each.name for each in result.conditions if each.error}
    assert failed == {"rows[1]", "custom"}


def test_a_custom_predicate_is_one_condition():
    rule = RoutingRule("a", RoutingConditions(custom=lambda event, context, state: 1 / 0 > 0))
    explained = ConversationRouter(rules=[rule], default_agent_id="b").explain(
        InboundMessage(id="1", text="hello"), ConversationState(), RoutingContext()
    )
    [result] = explained.results
    assert (result.outcome, result.error) == ("failed", "ZeroDivisionError: division by zero")
    assert [(each.name, each.error) for each in result.conditions] == [
        ("custom", "division by zero")
    ]
    assert explained.decision.agent_id == "b"


def test_rules_after_the_matching_one_are_not_evaluated():
    router = ConversationRouter(rules=[RoutingRule("a"), RoutingRule("b", id="later")])
    explained = router.explain(InboundMessage(id="1", text="hello"), ConversationState())
    assert [rule.id for rule in explained.unevaluated] == ["later"]


def test_no_rule_is_evaluated_while_an_agent_is_active():
    router = ConversationRouter(rules=[RoutingRule("a")])
    message = InboundMessage(id="1", text="hello")
    explained = router.explain(message, ConversationState(active_agent_id="b"))
    assert (explained.results, len(explained.unevaluated)) == ((), 1)
