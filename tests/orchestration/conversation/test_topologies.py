"""Who is next, and what it is told, in every topology."""

from orchestration.definition import InputFilter, Limits, Stage, Transition
from orchestration.events import (
    CycleDetected,
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    MessageCompleted,
    PhaseChanged,
    RunCompleted,
    SubtaskCompleted,
    SubtaskStarted,
    ToolReturned,
    TurnStarted,
)
from orchestration.exceptions import ProviderError
from orchestration.providers.provider import CallPiece
from tests.orchestration.conversations import (
    calling,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import (
    Play,
    chain,
    model_of,
    once,
    star,
)

FIELDS = {
    "type": "object",
    "properties": {"order": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["order"],
}


# Workflow


async def test_each_agent_of_a_workflow_gets_its_predecessors_output():
    """Contract H-3."""
    model = model_of({})
    session = session_with(model, chain("a", "b", "c"))
    events = await say(session, "hi")
    assert model.seen == [["hi"], ["a(hi)"], ["b(a(hi))"]]
    assert [one.text for one in every(MessageCompleted, events)][-1] == "c(b(a(hi)))"
    assert only(RunCompleted, events).reason == "replied"
    assert [one.agent_id for one in every(PhaseChanged, events)] == ["b", "c"]
    assert all(not request.tools for request in model.requests)


async def test_a_workflow_begins_anew_with_every_message_and_remembers():
    """Contract H-3: each agent knows what it was told and said before."""
    model = model_of({})
    session = session_with(model, chain("a", "b"))
    await say(session, "one")
    await say(session, "two")
    assert model.seen[2] == ["one", "a(one)", "two"]
    assert model.seen[3] == ["a(one)", "b(a(one))", "a(two)"]


async def test_a_workflow_that_ends_with_the_human_waits_for_the_human():
    definition = chain("a")
    stages = (*definition.stages, Stage(phase="desk", kind="human"))
    ways = (Transition(source="at-a", target="desk"),)
    definition = definition.model_copy(update={"stages": stages, "transitions": ways})
    session = session_with(model_of({}), definition)
    assert only(RunCompleted, await say(session, "hi")).reason == "waiting_for_human"
    assert session.state.with_human


async def test_a_workflow_stops_at_its_limit_of_turns():
    """Contract T-4."""
    definition = chain("a", "b", "c", limits=Limits(max_turns=2))
    session = session_with(model_of({}), definition)
    assert only(RunCompleted, await say(session, "hi")).reason == "turn_limit"


# Team


async def test_the_lead_of_a_team_delegates_and_its_answer_ends_the_run():
    """Contract H-5 and D-6."""
    model = model_of({"lead": once(calling("delegate_to_b", task="count"))})
    session = session_with(model, star("lead", "a", "b"))
    events = await say(session, "hi")
    assert [tool.name for tool in model.requests[0].tools] == ["delegate_to_a", "delegate_to_b"]
    assert model.seen == [["hi"], ["count"], ["hi", "", "b(count)"]]
    assert every(MessageCompleted, events)[-1].text == "lead says: b(count)"
    end = every(RunCompleted, events)[-1]
    assert (end.reason, end.usage.calls, end.turns) == ("replied", 3, 2)
    done = only(SubtaskCompleted, events)
    assert (done.kind, done.title, done.output, done.error) == ("delegate", "b", "b(count)", None)
    worker = [event for event in events if event.session_id == done.task_id]
    assert [event.type for event in worker][:2] == ["run.started", "message.received"]
    assert done.task_id == "s1__team_b_0"


async def test_several_delegations_of_one_turn_run_at_once():
    both = (calling("delegate_to_a", task="1"), calling("delegate_to_b", task="2"))
    session = session_with(model_of({"lead": once(*both)}), star("lead", "a", "b"))
    events = await say(session, "hi")
    kinds = [event.type for event in events]
    assert (
        kinds.index("subtask.completed")
        > [at for at, kind in enumerate(kinds) if kind == "subtask.started"][1]
    )
    assert [message.text for message in session.history if message.role == "tool"] == [
        "a(1)",
        "b(2)",
    ]


async def test_a_delegation_without_a_task_is_an_error_the_lead_can_correct():
    session = session_with(
        model_of({"lead": once(calling("delegate_to_a", work="1"))}), star("lead", "a")
    )
    events = await say(session, "hi")
    assert "needs the argument task" in (only(ToolReturned, events).result.error or "")
    assert not every(SubtaskStarted, events)


async def test_a_worker_that_fails_is_an_error_for_the_lead():
    def fails(request):
        raise ProviderError("The model is away.")

    model = model_of({"lead": once(calling("delegate_to_a", task="1")), "a": fails})
    events = await say(session_with(model, star("lead", "a")), "hi")
    assert only(SubtaskCompleted, events).error == "The model is away."
    assert every(RunCompleted, events)[-1].reason == "replied"


# Swarm


def always(*turn: CallPiece) -> Play:
    return lambda request: turn


def peer(target: str):
    return calling("handoff", target=target, message="look")


async def test_a_swarm_ends_where_its_handoffs_go_in_a_circle():
    """Contract S-5: two of them."""
    model = model_of({"a": lambda request: (peer("b"),), "b": lambda request: (peer("a"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b")
    assert only(HandoffRejected, events).code == "cycle"
    assert only(RunCompleted, events).reason == "cycle"


async def test_a_swarm_finds_longer_circles():
    """Contract S-5: A→B→C→A→B→C."""
    after = {"a": "b", "b": "c", "c": "a"}
    model = model_of({one: always(peer(to)) for one, to in after.items()})
    events = await say(session_with(model, star("a", "b", "c", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b", "c")
    assert [one.to_agent for one in every(HandoffAccepted, events)] == ["b", "c", "a", "b"]


async def test_the_turns_of_a_swarm_carry_sessions_of_their_own():
    """Contract S-7."""
    model = model_of({"a": lambda request: (peer("b"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert [one.session_id for one in every(TurnStarted, events)] == [
        "s1__swarm_a_0",
        "s1__swarm_b_1",
    ]
    assert only(RunCompleted, events).session_id == "s1"


async def test_an_answer_that_names_a_peer_hands_over():
    """Contract H-4."""
    model = model_of({"a": lambda request: (" B \n",)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"
    assert every(MessageCompleted, events)[-1].agent_id == "b"
    assert events.index(every(MessageCompleted, events)[0]) < events.index(
        only(HandoffRequested, events)
    )


async def test_a_requested_handoff_counts_where_requests_count():
    """Contract D-1."""
    model = model_of({"a": lambda request: (peer("b"),), "b": lambda request: (peer("c"),)})
    limits = Limits(max_handoffs=2, count_handoffs="requested")
    definition = star("a", "b", "c", topology="swarm", limits=limits)
    events = await say(session_with(model, definition), "hi")
    assert len(every(HandoffAccepted, events)) == 1
    assert only(RunCompleted, events).reason == "handoff_limit"


# Typed handoffs


def typed(**fields):
    way = Transition(source="at-a", target="at-b", input_schema=FIELDS, **fields)
    return chain("a", "b", topology="pipeline", transitions=[way])


async def test_a_typed_handoff_has_a_tool_and_a_payload_of_its_own():
    """Contract S-3 and S-8."""
    model = model_of({"a": once(calling("transfer_to_b", order=7, reason="refund"))})
    events = await say(session_with(model, typed()), "hi")
    offered = model.requests[0].tools
    assert [(tool.name, tool.parameters) for tool in offered if tool.options[0].schema] == [
        ("transfer_to_b", FIELDS)
    ]
    accepted = only(HandoffAccepted, events)
    assert (accepted.payload, accepted.reason) == ({"order": 7, "reason": "refund"}, "refund")
    assert "[Context from previous agent (a)]" in model.seen[-1][0]


async def test_a_wrong_payload_is_an_error_the_model_can_correct():
    """Contract S-3."""
    turns = iter([(calling("transfer_to_b", order="x"),), (calling("transfer_to_b", order=1),)])
    model = model_of({"a": lambda request: next(turns)})
    events = await say(session_with(model, typed()), "hi")
    error = only(ToolReturned, events).result.error or ""
    assert "order" in error
    assert "transfer_to_b" in error
    assert only(HandoffAccepted, events).payload == {"order": 1}


async def test_a_filter_of_the_callers_own_chooses_what_the_target_is_shown():
    """Contract S-4."""
    given = []

    def tell(history, payload):
        given.append((list(history), payload))
        return f"Order {payload['order']}"

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): tell})
    events = await say(session, "hi")
    assert only(HandoffAccepted, events).prompt == "Order 7"
    assert model.seen[-1][0] == "Order 7"
    assert given == [(["hi"], {"order": 7})]


async def test_a_filter_that_raises_refuses_the_handoff_with_its_reason():
    """Contract S-4."""

    def tell(history, payload):
        raise LookupError("no such order")

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): tell})
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert "no such order" in rejected.why
    assert session.state.active_agent_id == "a"


async def test_a_filter_of_the_transition_that_fails_refuses_the_handoff_with_its_reason():
    """Contract S-4."""
    asks = InputFilter(keep="matching", expression="payload.topic == 'x'")
    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(input_filter=asks))
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert 'Key not found in map : "topic"' in rejected.why
    assert rejected.why in model.seen[-1][-1]
    assert session.state.active_agent_id == "a"
    assert every(RunCompleted, events)[-1].reason == "replied"


async def test_the_transitions_filter_keeps_the_users_question():
    """Contract S-6: only the question and the note of the handoff."""
    plays = {"a": once("Let me see.", calling("transfer_to_b", order=7))}
    kept = InputFilter(keep="summary")
    model = model_of(plays)
    await say(session_with(model, typed(input_filter=kept)), "hi")
    assert model.seen[-1][1] == "hi"
    assert not any("Let me see" in text for text in model.seen[-1])
