"""Who is next, and what it is told, in every topology."""

from orchestration.definition import Group, InputFilter, Limits, Stage, Tool, Transition
from orchestration.events import (
    CycleDetected,
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    InputReceived,
    InputRequested,
    MessageCompleted,
    PhaseChanged,
    RunCompleted,
    RunFailed,
    SubtaskCompleted,
    SubtaskStarted,
    ToolReturned,
    TurnStarted,
)
from orchestration.exceptions import ProviderError
from orchestration.providers.base import CallPiece
from orchestration.session import Session
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    handing_over,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import (
    Play,
    agents,
    chain,
    echo,
    model_of,
    once,
    star,
    with_group,
)

PANEL = Group(agents=("b", "a"))
FIELDS = {
    "type": "object",
    "properties": {"order": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["order"],
}


# Workflow


async def test_each_agent_of_a_workflow_gets_its_predecessors_output():
    """H-3."""
    model = model_of({})
    session = session_with(model, chain("a", "b", "c"))
    events = await say(session, "hi")
    assert model.seen == [["hi"], ["a(hi)"], ["b(a(hi))"]]
    assert [one.text for one in every(MessageCompleted, events)][-1] == "c(b(a(hi)))"
    assert only(RunCompleted, events).reason == "replied"
    assert [one.agent_id for one in every(PhaseChanged, events)] == ["b", "c"]
    assert all(not request.tools for request in model.requests)


async def test_a_workflow_begins_anew_with_every_message_and_remembers():
    """H-3: each agent knows what it was told and said before."""
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
    """T-4."""
    definition = chain("a", "b", "c", limits=Limits(max_turns=2))
    session = session_with(model_of({}), definition)
    assert only(RunCompleted, await say(session, "hi")).reason == "turn_limit"


# Team


async def test_the_lead_of_a_team_delegates_and_its_answer_ends_the_run():
    """H-5 and decision 6."""
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
    assert "needs a task" in (only(ToolReturned, events).result.error or "")
    assert not every(SubtaskStarted, events)


async def test_a_worker_that_fails_is_an_error_for_the_lead():
    def fails(request):
        raise ProviderError("The model is away.")

    model = model_of({"lead": once(calling("delegate_to_a", task="1")), "a": fails})
    events = await say(session_with(model, star("lead", "a")), "hi")
    assert only(SubtaskCompleted, events).error == "The model is away."
    assert every(RunCompleted, events)[-1].reason == "replied"


# Groups


async def test_the_members_of_a_group_get_the_same_input_and_join_in_order_of_registration():
    """H-9."""
    model = model_of({"first": lambda request: (handing_over("panel", summary="look"),)})
    session = session_with(model, with_group(PANEL))
    events = await say(session, "hi")
    told = "hi\n\n[Context from previous agent (first)]: look"
    assert [one.input for one in every(SubtaskStarted, events)] == [told, told]
    said = [(one.agent_id, one.text) for one in session.history if one.role == "assistant"][1:]
    assert [who for who, _ in said] == ["b", "a", "last"]
    assert model.requests[-1].agent.id == "last"
    assert model.seen[-1][-2:] == [f"[b]: b({told})", f"[a]: a({told})"]
    assert every(RunCompleted, events)[-1].reason == "replied"
    assert session.state.phase == "verdict"


async def test_in_a_workflow_a_group_is_told_the_output_before_it_and_its_own_is_passed_on():
    """H-3, H-9: never the user's message itself."""
    model = model_of({})
    events = await say(session_with(model, with_group(PANEL, topology="workflow")), "hi")
    assert [one.input for one in every(SubtaskStarted, events)] == ["first(hi)", "first(hi)"]
    assert model.requests[-1].agent.id == "last"
    assert model.seen[-1] == ["[b]: b(first(hi))", "[a]: a(first(hi))"]


async def test_a_member_is_given_the_outputs_of_all_it_depends_on():
    """H-9."""
    group = Group(agents=("c", "a", "b"), parallel=False, dependencies={"c": ("a", "b")})
    model = model_of({"first": lambda request: (handing_over("panel", summary="x"),)})
    events = await say(session_with(model, with_group(group)), "hi")
    started = every(SubtaskStarted, events)
    assert [one.title for one in started] == ["a", "b", "c"]
    assert started[-1].input.startswith(started[0].input)
    assert "[a]: a(" in started[-1].input
    assert "[b]: b(" in started[-1].input


async def test_a_serial_group_without_dependencies_chains_output_to_input():
    """H-9."""
    group = Group(agents=("b", "a"), parallel=False)
    definition = with_group(group, entry="panel")
    events = await say(session_with(model_of({}), definition), "hi")
    assert [one.input for one in every(SubtaskStarted, events)] == ["hi", "b(hi)"]
    assert every(MessageCompleted, events)[-1].agent_id == "last"


async def test_a_group_names_every_member_that_failed():
    """H-9."""

    def fails(request):
        raise ProviderError("away")

    model = model_of({"a": fails, "b": fails})
    events = await say(session_with(model, with_group(PANEL, entry="panel")), "hi")
    failed = every(RunFailed, events)[-1]
    assert failed.error == "GroupError"
    assert "b (away)" in failed.message
    assert "a (away)" in failed.message


async def test_a_group_that_ends_the_conversation_answers_the_next_message_too():
    definition = with_group(PANEL, entry="panel", transitions=[])
    model = model_of({})
    session = session_with(model, definition)
    first = await say(session, "one")
    second = await say(session, "two")
    assert every(RunCompleted, first)[-1].reason == "replied"
    assert [one.title for one in every(SubtaskStarted, second)] == ["b", "a"]
    assert len({one.task_id for one in every(SubtaskStarted, first + second)}) == 4
    own = [request for request in model.requests if request.agent.id == "a"][-1]
    assert [message.text for message in own.messages] == ["one", "[b]: b(one)", "a(one)", "two"]


async def test_members_count_as_turns():
    """T-4: so that groups that lead to each other come to an end."""
    definition = with_group(
        PANEL,
        entry="panel",
        transitions=[Transition(source="panel", target="panel")],
        limits=Limits(max_turns=6),
    )
    events = await say(session_with(model_of({}), definition), "hi")
    assert every(RunCompleted, events)[-1].reason == "turn_limit"
    assert len(every(SubtaskStarted, events)) == 6


# Swarm


def always(*turn: CallPiece) -> Play:
    return lambda request: turn


def peer(target: str):
    return calling("handoff", target=target, message="look")


async def test_a_swarm_ends_where_its_handoffs_go_in_a_circle():
    """S-5: two of them."""
    model = model_of({"a": lambda request: (peer("b"),), "b": lambda request: (peer("a"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b")
    assert only(HandoffRejected, events).code == "cycle"
    assert only(RunCompleted, events).reason == "cycle"


async def test_a_swarm_finds_longer_circles():
    """S-5: A→B→C→A→B→C."""
    after = {"a": "b", "b": "c", "c": "a"}
    model = model_of({one: always(peer(to)) for one, to in after.items()})
    events = await say(session_with(model, star("a", "b", "c", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b", "c")
    assert [one.to_agent for one in every(HandoffAccepted, events)] == ["b", "c", "a", "b"]


async def test_the_turns_of_a_swarm_carry_sessions_of_their_own():
    """S-7."""
    model = model_of({"a": lambda request: (peer("b"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert [one.session_id for one in every(TurnStarted, events)] == [
        "s1__swarm_a_0",
        "s1__swarm_b_1",
    ]
    assert only(RunCompleted, events).session_id == "s1"


async def test_an_answer_that_names_a_peer_hands_over():
    """H-4."""
    model = model_of({"a": lambda request: (" B \n",)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"
    assert every(MessageCompleted, events)[-1].agent_id == "b"
    assert events.index(every(MessageCompleted, events)[0]) < events.index(
        only(HandoffRequested, events)
    )


async def test_a_requested_handoff_counts_where_requests_count():
    """Decision 1."""
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
    """S-3 and S-8."""
    model = model_of({"a": once(calling("transfer_to_b", order=7, reason="refund"))})
    events = await say(session_with(model, typed()), "hi")
    offered = model.requests[0].tools
    assert [(tool.name, tool.parameters) for tool in offered if tool.ways[0].schema] == [
        ("transfer_to_b", FIELDS)
    ]
    accepted = only(HandoffAccepted, events)
    assert (accepted.payload, accepted.reason) == ({"order": 7, "reason": "refund"}, "refund")
    assert "[Context from previous agent (a)]" in model.seen[-1][0]


async def test_a_wrong_payload_is_an_error_the_model_can_correct():
    """S-3."""
    turns = iter([(calling("transfer_to_b", order="x"),), (calling("transfer_to_b", order=1),)])
    model = model_of({"a": lambda request: next(turns)})
    events = await say(session_with(model, typed()), "hi")
    error = only(ToolReturned, events).result.error or ""
    assert "order" in error
    assert "transfer_to_b" in error
    assert only(HandoffAccepted, events).payload == {"order": 1}


async def test_a_filter_of_the_callers_own_chooses_what_the_target_is_shown():
    """S-4."""
    given = []

    def tell(history, payload):
        given.append((list(history), payload))
        return f"Order {payload['order']}"

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): tell})
    events = await say(session, "hi")
    assert only(HandoffAccepted, events).prompt == "Order 7"
    assert model.seen[-1][0] == "Order 7"
    assert given == [(["hi", "[a]: "], {"order": 7})]


async def test_a_filter_that_raises_refuses_the_handoff_with_its_reason():
    """S-4."""

    def tell(history, payload):
        raise LookupError("no such order")

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): tell})
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert "no such order" in rejected.why
    assert session.state.active_agent_id == "a"


async def test_the_transitions_filter_keeps_the_users_question():
    """S-6: only the question and the note of the handoff."""
    plays = {"a": once("Let me see.", calling("transfer_to_b", order=7))}
    kept = InputFilter(keep="summary")
    model = model_of(plays)
    await say(session_with(model, typed(input_filter=kept)), "hi")
    assert model.seen[-1][1] == "hi"
    assert not any("Let me see" in text for text in model.seen[-1])


# Subtasks


SUMMARISE = Tool(
    name="summarise",
    kind="subtask",
    pipeline="Summary",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}},
)


def asking(tool: Tool = SUMMARISE):
    definition = chain("a", tools=[tool])
    return definition.model_copy(update={"agents": agents("a", tools=(tool.name,))})


async def test_a_subtask_tool_runs_another_pipeline_in_its_own_context():
    """T-9."""
    model = model_of({"a": once(calling("summarise", text="long"))})
    found = []

    def find(request):
        found.append(request)
        return chain("x", "y") if request.subtype == "Summary" else None

    events = await say(session_with(model, asking(), pipelines=find), "hi")
    assert found[0].inputs == {"text": "long"}
    assert every(SubtaskCompleted, events)[-1].output == "y(x(long))"
    assert every(MessageCompleted, events)[-1].text == "a says: y(x(long))"
    assert every(RunCompleted, events)[-1].usage.calls == 4


async def test_a_subtask_that_no_pipeline_answers_to_is_an_error():
    """T-9."""
    model = model_of({"a": once(calling("summarise", text="long"))})
    events = await say(session_with(model, asking(), pipelines=lambda request: None), "hi")
    assert "no pipeline 'Summary'" in (only(ToolReturned, events).result.error or "")


async def test_the_same_request_inside_itself_is_a_cycle():
    """T-9."""
    model = model_of({"a": once(calling("summarise", text="long"))})
    events = await say(session_with(model, asking(), pipelines=lambda request: asking()), "hi")
    assert "cycle" in (only(ToolReturned, events).result.error or "")
    assert len(every(SubtaskStarted, events)) == 1


async def test_subtasks_nest_five_deep():
    """T-9."""

    def deeper(request):
        last = request.messages[-1]
        if last.role == "tool":
            return (last.text,)
        return (calling("summarise", text=last.text + "+"),)

    model = model_of({"a": deeper})
    events = await say(session_with(model, asking(), pipelines=lambda request: asking()), "hi")
    assert len(every(SubtaskStarted, events)) == 5
    assert "at most 5 deep" in (only(ToolReturned, events).result.error or "")


# Asking the user


ASK = Tool(name="ask", kind="user_input")


async def test_the_users_answer_is_the_calls_result():
    """T-10."""

    async def answer(request):
        return f"{request.question} Yes."

    model = model_of({"a": once(calling("ask", question="Sure?"))})
    session = session_with(model, asking(ASK), ask_user=answer)
    events = await say(session, "hi")
    assert only(InputRequested, events).question == "Sure?"
    assert only(InputReceived, events).text == "Sure? Yes."
    assert every(MessageCompleted, events)[-1].text == "a says: Sure? Yes."


async def test_without_an_answer_the_run_waits_and_the_next_message_is_it():
    """T-10."""

    async def later(request):
        return None

    model = model_of({"a": once(calling("ask", question="Sure?"))})
    session = session_with(model, asking(ASK), ask_user=later)
    assert only(RunCompleted, await say(session, "hi")).reason == "waiting_for_user"
    assert question_open(session)
    events = await say(session, "Yes")
    assert only(InputReceived, events).text == "Yes"
    assert only(MessageCompleted, events).text == "a says: Yes"
    assert not question_open(session)
    assert [message.role for message in session.history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def question_open(session: Session) -> bool:
    return session.asked is not None


async def test_nobody_to_ask_is_an_error():
    """T-10."""
    model = model_of({"a": once(calling("ask", question="Sure?"))})
    events = await say(session_with(model, asking(ASK)), "hi")
    assert "nobody" in (only(ToolReturned, events).result.error or "")


async def test_a_model_is_asked_once_for_every_answer_of_a_workflow():
    model = PlayedModel(echo)
    await say(session_with(model, chain("a", "b", "c")), "hi")
    assert len(model.requests) == 3
