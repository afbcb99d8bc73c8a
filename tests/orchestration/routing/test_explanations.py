"""Why a message goes to whom it goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.conversation import Blueprint, router_of
from orchestration.definition import Agent, Comparison, Conditions, PipelineDefinition, Rule, Stage
from orchestration.messages import InboundMessage
from orchestration.routing import (
    CONDITION_VARIABLES,
    FILTER_VARIABLES,
    FUNCTIONS,
    ConversationRouter,
    RoutingConditions,
    RoutingContext,
    RoutingRule,
    compile_expression,
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
    lambda all_of: tuple(
        Rule(id=f"rule-{place}", agent_id=agent, priority=priority, conditions=conditions)
        for place, (agent, conditions, priority) in enumerate(all_of)
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
def test_what_is_explained_is_what_is_decided(draft, message, state):
    router = Blueprint(draft).router
    explained = router.explain(message, state)
    assert explained.decision == router.select(message, state)
    assert explained.decision == router_of(draft).select(message, state)
    rules = [asked.rule for asked in explained.asked] + list(explained.unasked)
    assert rules == sorted(router.rules, key=lambda rule: rule.priority)
    chose = [asked for asked in explained.asked if asked.answer == "chose"]
    if explained.decision.by == "rule":
        assert chose == [explained.asked[-1]]
        assert chose[0].rule.name == explained.decision.rule_id
    else:
        assert chose == []
    failed = [(one.rule.name, one.error) for one in explained.asked if one.answer == "failed"]
    assert failed == list(explained.decision.failures)


@given(DRAFTS, MESSAGES, STATES)
def test_a_rule_chooses_where_its_conditions_hold_one_by_one(draft, message, state):
    given_rules = {rule.id: rule for rule in draft.rules}
    for asked in router_of(draft).explain(message, state).asked:
        conditions = given_rules[asked.rule.id].conditions
        rows = [one.holds for one in asked.conditions if one.name.startswith("rows")]
        others = [one.holds for one in asked.conditions if not one.name.startswith("rows")]
        enough = {"all": all(rows), "any": any(rows) or not rows, "not": not any(rows)}
        holds = all(others) and enough[conditions.match]
        if asked.answer == "chose":
            assert holds
        elif asked.answer == "unmet":
            assert not holds
        elif asked.answer == "failed":
            assert any(one.error for one in asked.conditions)
        else:
            assert asked.rule.agent_id not in draft.agents_by_id


def test_every_condition_of_a_rule_says_by_itself_whether_it_holds():
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
    [asked] = ConversationRouter(rules=[rule]).explain(message, ConversationState()).asked
    assert asked.answer == "unmet"
    said = {one.name: one.holds for one in asked.conditions}
    assert said == {
        "channel_types": True,
        "intents": False,
        "rows[0]": True,
        "rows[1]": False,
        "custom": False,
    }
    faults = {one.name for one in asked.conditions if one.error}
    assert faults == {"rows[1]", "custom"}


def test_a_predicate_of_a_programs_own_is_one_condition():
    rule = RoutingRule("a", RoutingConditions(custom=lambda event, context, state: 1 / 0 > 0))
    explained = ConversationRouter(rules=[rule], default_agent_id="b").explain(
        InboundMessage(id="1", text="hello"), ConversationState(), RoutingContext()
    )
    [asked] = explained.asked
    assert (asked.answer, asked.error) == ("failed", "ZeroDivisionError: division by zero")
    assert [(one.name, one.error) for one in asked.conditions] == [("custom", "division by zero")]
    assert explained.decision.agent_id == "b"


def test_rules_after_the_one_that_chose_are_not_asked():
    router = ConversationRouter(rules=[RoutingRule("a"), RoutingRule("b", id="later")])
    explained = router.explain(InboundMessage(id="1", text="hello"), ConversationState())
    assert [rule.id for rule in explained.unasked] == ["later"]


def test_while_somebody_has_the_conversation_no_rule_is_asked():
    router = ConversationRouter(rules=[RoutingRule("a")])
    message = InboundMessage(id="1", text="hello")
    explained = router.explain(message, ConversationState(active_agent_id="b"))
    assert (explained.asked, len(explained.unasked)) == ((), 1)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.example)
def test_what_is_offered_in_an_expression_can_be_written_there(function):
    assert function.name in function.example
    assert function.written.startswith(f"{function.name}(")
    state = {"state.phase": "intake", "state.channel": "email", "state.handoff_count": 2}
    assert compile_expression(function.example)(state) in (True, False)


def test_what_may_be_asked_about_and_done_has_a_line_of_help_each():
    variables = [variable.about for variable in (*CONDITION_VARIABLES, *FILTER_VARIABLES)]
    for about in [*variables, *(function.about for function in FUNCTIONS)]:
        assert about.endswith(".")
        assert "\n" not in about
