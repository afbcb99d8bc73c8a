"""Count of calls, tokens, cost and work, and the limits that stop a run (contract D-9)."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from orchestration.conversation import Budget
from orchestration.definition import Group, Limits, PipelineDefinition, Supervision, Tool
from orchestration.events import (
    LimitReached,
    MessageCompleted,
    RunCompleted,
    SubtaskCompleted,
    SubtaskStarted,
    TurnRetried,
    TurnStarted,
)
from orchestration.messages import Usage
from orchestration.providers.provider import Retry
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    calling,
    collect,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.topologies import agents, chain, model_of, once, star, with_group

BUSY = Retry(attempt=1, of=4, error="ProviderError", message="Busy.", wait=0.0)
SWITCH = Retry(
    attempt=1,
    of=2,
    error="ProviderError",
    message="Down.",
    wait=0.0,
    provider="spare",
    model="spare-1",
)


def looping(**limits) -> PipelineDefinition:
    """Return a pipeline whose agent can call a tool for ever."""
    return with_tools("look").model_copy(update={"limits": Limits(max_turns=1_000, **limits)})


def always_look() -> PlayedModel:
    return PlayedModel(lambda request: ("Looking.", calling("look")))


@pytest.mark.parametrize("limit", [1, 3])
async def test_a_limit_of_n_calls_lets_exactly_n_happen(limit):
    model = always_look()
    session = session_with(model, looping(max_calls=limit))
    events = await say(session, "hi")
    assert len(model.requests) == limit
    assert types(events)[-2:] == ["limit.reached", "run.completed"]
    reached = only(LimitReached, events)
    assert (reached.resource, reached.used, reached.limit) == ("calls", limit, limit)
    assert only(RunCompleted, events).reason == "call_limit"
    assert [one.text for one in session.history if one.role == "assistant"] == ["Looking."] * limit


async def test_the_last_allowed_call_may_be_the_answer():
    session = session_with(PlayedModel([("Hello.",)]), looping(max_calls=1))
    assert only(RunCompleted, await say(session, "hi")).reason == "replied"


async def test_the_budget_starts_again_with_each_message():
    session = session_with(PlayedModel([("One.",), ("Two.",)]), looping(max_calls=1))
    for text in ("one", "two"):
        assert only(RunCompleted, await say(session, text)).reason == "replied"
    assert session.metrics().calls.used == 1


async def test_tokens_stop_the_run_before_the_next_call():
    model = always_look()
    events = await say(session_with(model, looping(max_tokens=45)), "hi")
    assert len(model.requests) == 3, "each call uses 15 tokens"
    assert only(LimitReached, events).resource == "tokens"
    assert only(RunCompleted, events).reason == "token_limit"


async def test_the_cost_stops_the_run_before_the_next_call():
    model = always_look()
    price = {"played": 0.1}
    session = session_with(
        model,
        looping(max_cost=0.25),
        call_cost=lambda provider, model, usage: price[model] * usage.calls,
    )
    events = await say(session, "hi")
    assert len(model.requests) == 3
    assert only(LimitReached, events).used == pytest.approx(0.3)
    assert only(RunCompleted, events).reason == "cost_limit"
    assert session.metrics().cost.unpriced == []


async def test_calls_without_a_price_are_counted_and_named():
    model = PlayedModel([(calling("look"),), ("Done.",)])
    session = session_with(model, looping(max_cost=1), call_cost=lambda *call: None)
    assert every(RunCompleted, await say(session, "hi"))[-1].reason == "replied"
    (unpriced,) = session.metrics().cost.unpriced
    assert (unpriced.provider, unpriced.model, unpriced.calls) == ("played", "played", 2)


async def test_a_retry_and_a_fallback_count_as_calls():
    seen: list[tuple[str, str]] = []

    def call_cost(provider, model, usage):
        seen.append((provider, model))

    model = PlayedModel(lambda request: (BUSY, SWITCH, "Hello."))
    session = session_with(model, looping(max_calls=3), call_cost=call_cost)
    events = await say(session, "hi")
    assert only(RunCompleted, events).reason == "replied"
    assert session.metrics().calls.used == 3
    assert seen == [("spare", "spare-1")], "the price is that of the model that answered"


async def test_a_retry_beyond_the_budget_is_not_made():
    attempts: list[int] = []

    def turn(request):
        for number in range(9):
            attempts.append(number)
            yield BUSY

    events = await say(session_with(PlayedModel(turn), looping(max_calls=4)), "hi")
    assert attempts == [0, 1, 2, 3]
    assert len(every(TurnRetried, events)) == 3
    assert only(RunCompleted, events).reason == "call_limit"


async def test_a_cut_off_retry_keeps_the_text_so_far():
    session = session_with(PlayedModel(lambda request: ("Half", BUSY)), looping(max_calls=1))
    events = await say(session, "hi")
    assert only(RunCompleted, events).cut_off == "Half"
    assert session.history[-1].text == "Half"


# Groups, delegations and subtasks


async def test_a_child_at_the_limit_ends_its_parents_too():
    """Contract D-9: at every depth, with the same reason."""
    lead_turn = once(calling("delegate_to_a", task="work"))
    model = model_of({"lead": lead_turn, "a": lambda request: ("Working.", calling("look"))})
    definition = star(
        "lead",
        "a",
        agents=[*agents("lead"), *agents("a", tools=["look"])],
        tools=[Tool(name="look")],
        limits=Limits(max_calls=5),
    )
    session = session_with(model, definition)
    events = await say(session, "hi")
    assert len(model.requests) == 5
    ends = {one.session_id: one.reason for one in every(RunCompleted, events)}
    assert ends == {"s1__team_a_0": "call_limit", "s1": "call_limit"}
    assert [one.resource for one in every(LimitReached, events)] == ["calls", "calls"]
    assert session.metrics().calls.used == 5


async def test_parallel_members_share_the_allowed_calls():
    """Contract D-9: each reserves its call before it makes it."""
    group = Group(agents=("a", "b", "c", "d"))
    definition = with_group(
        group, entry="panel", transitions=[], limits=Limits(max_calls=3, max_turns=100)
    )
    model = model_of({})
    session = session_with(model, definition)
    events = await say(session, "hi")
    assert len(model.requests) == 3
    assert every(RunCompleted, events)[-1].reason == "call_limit"
    answers = [one.output for one in every(SubtaskCompleted, events) if one.error is None]
    assert len(answers) == 3
    assert [one.text for one in session.history if one.role == "assistant"] == sorted(answers)


async def test_no_subtask_starts_after_the_last_call():
    model = model_of({"lead": once(calling("delegate_to_a", task="work"))})
    events = await say(session_with(model, star("lead", "a", limits=Limits(max_calls=1))), "hi")
    assert every(SubtaskStarted, events) == []
    assert only(RunCompleted, events).reason == "call_limit"


async def test_the_pipeline_of_a_subtask_has_no_budget_of_its_own():
    small = chain("a", "b", limits=Limits(max_calls=1))
    tool = Tool(name="ask", kind="subtask", pipeline="Chain")
    model = model_of({"agent-triage": once(calling("ask", text="Hi"))})
    session = session_with(model, with_tools(tool), pipelines=lambda request: small)
    assert every(RunCompleted, await say(session, "hi"))[-1].reason == "replied"
    assert session.metrics().calls.used == 4


async def test_the_calls_of_the_supervisor_count():
    """Contract D-9 and O-5."""
    definition = looping(max_calls=5).model_copy(
        update={
            "supervisor_id": REVIEWER,
            "supervision": Supervision(ask_at=("every_turn",), may=("note",)),
        }
    )
    model = PlayedModel(
        lambda request: (
            ("Fine.",) if request.agent.id == REVIEWER else ("Looking.", calling("look"))
        )
    )
    session = session_with(model, definition)
    events = await say(session, "hi")
    asked = [request.agent.id for request in model.requests]
    assert asked == [TRIAGE, REVIEWER, TRIAGE, REVIEWER, TRIAGE]
    assert every(RunCompleted, events)[-1].reason == "call_limit"


async def test_an_answer_with_the_last_call_is_not_supervised():
    definition = four_stages(
        limits=Limits(max_calls=1),
        supervisor_id=REVIEWER,
        supervision=Supervision(ask_at=("run_end",), may=("note",)),
    )
    events = await say(session_with(PlayedModel([("Hello.",)]), definition), "hi")
    assert only(RunCompleted, events).reason == "replied"


async def test_a_handoff_does_not_reset_the_budget():
    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    events = await say(session_with(model, four_stages(limits=Limits(max_calls=1))), "hi")
    assert only(RunCompleted, events).reason == "call_limit"


async def test_a_resumed_run_has_the_same_count():
    definition = looping(max_calls=4)
    whole = await say(session_with(always_look(), definition), "hi")
    for cut in range(1, len(whole)):
        session = session_with(always_look(), definition, events=whole[:cut])
        events = whole[:cut] + await collect(session.resume())
        assert types(events) == types(whole)
        assert len(every(TurnStarted, events)) == 4


# Work


def test_parallel_work_counts_once():
    budget = Budget()
    budget.add_work(4_000, NOON)
    budget.add_work(10_000, NOON + timedelta(seconds=1))
    assert budget.seconds == 10
    budget.add_work(2_000, NOON + timedelta(seconds=60))
    assert budget.seconds == 12
    budget.add_work(30_000, NOON + timedelta(seconds=70))
    assert budget.seconds == 40


def test_time_between_calls_does_not_count():
    budget = Budget()
    for minute in range(3):
        budget.add_usage(("p", "m"), Usage(milliseconds=500), NOON + timedelta(minutes=minute))
    assert budget.seconds == 1.5


async def test_used_up_seconds_stop_the_run_before_the_next_call():
    definition = looping(max_seconds=0.1)
    model = always_look()
    whole = await say(session_with(model, looping(max_calls=2)), "hi")
    usage = Usage(calls=1, milliseconds=100)
    slow = [
        replace(event, usage=usage) if isinstance(event, MessageCompleted) else event
        for event in whole[:-2]
    ]
    session = session_with(model, definition, events=slow)
    events = await collect(session.resume())
    assert types(events) == ["limit.reached", "run.completed"]
    assert only(RunCompleted, events).reason == "time_limit"
