"""Commands to a conversation: pauses, steps, notes, handoffs, taking over and handing back."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration import events as e
from orchestration.control import (
    BreakPoints,
    GoOn,
    HandBack,
    HandOver,
    Pause,
    Reply,
    SendNote,
    TakeOver,
)
from orchestration.definition import Group, Tool
from orchestration.exceptions import SteeringError
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    collect,
    four_stages,
    handing_over,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.steering_session import HELP, as_recorded, by_ada, only, steer, two_agents
from tests.orchestration.topologies import chain, echo, model_of, once, star, with_group

# Pausing


async def test_a_break_point_of_a_stage_pauses_before_its_turn():
    session = session_with(two_agents())
    session.break_points = BreakPoints(stages=frozenset({"handling"}))
    first: list[Any] = await say(session, "Help!")
    paused = only(e.RunPaused, first)
    assert first[-1] is paused
    assert (paused.why, paused.ahead, paused.target, paused.phase) == (
        "break_point",
        "turn",
        HANDLER,
        "handling",
    )
    assert session.unfinished
    assert session.paused == paused
    assert await collect(session.resume()) == []

    assert types(await steer(session, by_ada(GoOn))) == ["run.resumed"]
    rest = await collect(session.resume())
    assert types(rest) == ["turn.started", "message.completed", "run.completed"]
    assert [event.seq for event in (*first, *rest)] == [
        *range(1, len(first) + 1),
        *range(len(first) + 2, len(first) + 2 + len(rest)),
    ]


@pytest.mark.parametrize(
    "points",
    [
        BreakPoints(stages=frozenset({"at-b"})),
        BreakPoints(transitions=frozenset({("at-lead", "at-b")})),
    ],
)
async def test_a_break_point_of_a_delegate_pauses_before_its_task(points):
    plays = {"lead": once(calling("delegate_to_b", task="count")), "b": echo}
    session = session_with(model_of(plays), star("lead", "a", "b"))
    session.break_points = points
    first: list[Any] = await say(session, "Help!")
    paused = only(e.RunPaused, first)
    assert first[-1] is paused
    assert (paused.why, paused.ahead, paused.target) == ("break_point", "turn", "b")
    await steer(session, by_ada(GoOn))
    rest = types(await collect(session.resume()))
    assert (rest[0], rest[-1], rest.count("run.paused")) == ("subtask.started", "run.completed", 0)


async def test_a_break_point_of_a_transition_pauses_before_its_handoff():
    session = session_with(two_agents())
    session.break_points = BreakPoints(transitions=frozenset({("intake", "handling")}))
    paused = only(e.RunPaused, await say(session, "Help!"))
    assert (paused.why, paused.ahead, paused.target) == ("break_point", "handoff", HANDLER)
    await steer(session, by_ada(GoOn))
    assert types(await collect(session.resume()))[:2] == ["handoff.accepted", "phase.changed"]


async def test_a_pause_command_applies_before_the_next_turn_or_handoff():
    session = session_with(two_agents())
    events: list[Any] = []
    async for event in session.receive(HELP):
        if isinstance(event, e.TurnStarted):
            session.queue(by_ada(Pause))
        events.append(event)
    paused = only(e.RunPaused, events)
    assert (paused.why, paused.ahead, paused.by, paused.command_id) == (
        "asked",
        "handoff",
        "ada",
        "Pause-1",
    )
    assert session.queued == []


async def test_a_step_ends_before_the_next_turn_or_handoff():
    session = session_with(two_agents())
    session.break_points = BreakPoints(stages=frozenset({"intake"}))
    stops = [only(e.RunPaused, await say(session, "Help!")).ahead]
    while session.unfinished:
        await steer(session, by_ada(GoOn, step=True))
        stops += [
            f"{event.ahead} {event.why}"
            for event in await collect(session.resume())
            if isinstance(event, e.RunPaused)
        ]
    assert stops == ["turn", "handoff step", "turn step"]


async def test_a_paused_run_is_paused_in_a_session_from_its_journal():
    session = session_with(two_agents())
    session.break_points = BreakPoints(stages=frozenset({"handling"}))
    told = await say(session, "Help!")
    again = session_with(PlayedModel([("It is done.",)]), events=as_recorded(told))
    assert again.paused == told[-1]
    assert await collect(again.resume()) == []
    await steer(again, by_ada(GoOn))
    assert types(await collect(again.resume()))[-1] == "run.completed"


async def test_a_paused_run_can_be_ended():
    session = session_with(two_agents())
    session.break_points = BreakPoints(stages=frozenset({"intake"}))
    await say(session, "Help!")
    [ended] = session.end_run(e.StopReason.CANCELLED)
    assert isinstance(ended, e.RunCompleted)
    assert not session.unfinished
    session.break_points = BreakPoints()
    assert types(await say(session, "Again"))[-1] == "run.completed"


# Notes


async def test_only_the_addressed_agent_receives_a_note():
    model = PlayedModel([("Hello.",), ("One moment.", handing_over(HANDLER)), ("Done.",)])
    session = session_with(model)
    await say(session, "Hi")
    noted = only(
        e.SupervisorNoted,
        await steer(session, by_ada(SendNote, text="Be brief.", to_agent=TRIAGE)),
    )
    assert (noted.text, noted.to_agent, noted.by, noted.run_id) == ("Be brief.", TRIAGE, "ada", "")
    await say(session, "Help!")
    _, triage, handler = model.seen
    assert "[supervisor]: Be brief." in triage
    assert "[supervisor]: Be brief." not in handler


async def test_a_note_during_a_turn_follows_the_results_of_its_calls():
    definition = with_tools(Tool(name="look_up"))
    model = PlayedModel([(calling("look_up", call_id="c1"),), ("Done.",)])
    session = session_with(model, definition)
    async for event in session.receive(HELP):
        if isinstance(event, e.TurnStarted) and event.turn == 1:
            session.queue(by_ada(SendNote, text="Look twice."))
    roles = [(message.role, message.note) for message in session.history]
    assert roles == [
        ("user", False),
        ("assistant", False),
        ("tool", False),
        ("user", True),
        ("assistant", False),
    ]
    assert model.seen[1][-1] == "[supervisor]: Look twice."


@pytest.mark.parametrize(("to_agent", "receivers"), [(None, ["a", "b"]), ("b", ["b"])])
async def test_a_note_before_the_turn_of_a_group_reaches_its_members(to_agent, receivers):
    model = model_of({})
    definition = with_group(Group(agents=("a", "b")), entry="panel", transitions=[])
    session = session_with(model, definition)
    session.break_points = BreakPoints(stages=frozenset({"panel"}))
    await say(session, "Help!")
    await steer(session, by_ada(SendNote, text="A guest.", to_agent=to_agent))
    await steer(session, by_ada(GoOn))
    ended = await collect(session.resume())
    assert types(ended)[-1] == "run.completed"
    told = [event.agent_id for event in ended if isinstance(event, e.MessageCompleted)]
    noted = "[supervisor]: A guest."
    seen = dict(zip(told, model.seen, strict=True))
    assert [agent for agent in "ab" if seen[agent][-1] == f"Help!\n\n{noted}"] == receivers

    session.break_points = BreakPoints()
    await say(session, "Again")
    assert [seen[-1] for seen in model.seen[2:]] == ["Again", "Again"]


async def test_a_note_before_the_task_of_a_worker_reaches_it():
    plays = {"lead": once(calling("delegate_to_b", task="count")), "b": echo}
    model = model_of(plays)
    session = session_with(model, star("lead", "a", "b"))
    session.break_points = BreakPoints(stages=frozenset({"at-b"}))
    await say(session, "Help!")
    await steer(session, by_ada(SendNote, text="From one.", to_agent="b"))
    await steer(session, by_ada(SendNote, text="Be brief.", to_agent="a"))
    await steer(session, by_ada(GoOn))
    started = only(e.SubtaskStarted, await collect(session.resume()))
    assert started.input == "count\n\n[supervisor]: From one."
    assert model.seen[1] == [started.input]


# Handing over


async def test_a_person_hands_over_through_the_same_check_as_an_agent():
    session = session_with(two_agents())
    refused = await steer(session, by_ada(HandOver, target=RESOLVER, reason="It is urgent."))
    assert types(refused) == ["handoff.requested", "handoff.rejected"]
    assert "There is no transition" in refused[-1].why or "no transition" in refused[-1].why
    assert (refused[-1].by, session.state.phase) == ("ada", "intake")

    accepted = await steer(session, by_ada(HandOver, target=HANDLER, reason="It is urgent."))
    assert types(accepted) == ["handoff.requested", "handoff.accepted", "phase.changed"]
    assert (accepted[1].by, accepted[1].forced, accepted[1].reason) == (
        "ada",
        False,
        "It is urgent.",
    )
    routed = only(e.MessageRouted, await say(session, "Hi"))
    assert (routed.agent_id, routed.by) == (HANDLER, "affinity")


@pytest.mark.parametrize(
    ("definition", "target", "past_check"),
    [
        (star("lead", "a"), "a", False),
        (star("lead", "a"), "a", True),
        (chain("lead", "a"), "lead", True),
    ],
)
async def test_between_the_runs_of_a_team_or_workflow_only_a_human_takes_over(
    definition, target, past_check
):
    """The next message begins at the entry."""
    session = session_with(model_of({}), definition)
    await say(session, "Hi")
    command = by_ada(HandOver, target=target, past_check=past_check)
    refused = only(e.HandoffRejected, await steer(session, command))
    assert "every message begins at the entry" in refused.why
    accepted = await steer(session, by_ada(HandOver, target="human", past_check=True))
    assert only(e.HandoffAccepted, accepted).to_agent is None


async def test_without_the_check_a_person_hands_over_to_any_served_stage():
    session = session_with(two_agents())
    command = by_ada(HandOver, target=RESOLVER, past_check=True)
    accepted = only(e.HandoffAccepted, await steer(session, command))
    assert (accepted.to_agent, accepted.to_phase, accepted.forced) == (
        RESOLVER,
        "resolution",
        True,
    )
    command = by_ada(HandOver, target="nobody", past_check=True)
    assert types(await steer(session, command)) == ["handoff.requested", "handoff.rejected"]


async def test_a_handoff_during_a_run_takes_effect_between_two_steps():
    model = PlayedModel([("Let me see.",), ("I am the reviewer.",)])
    session = session_with(model)
    events: list[Any] = []
    async for event in session.receive(HELP):
        if isinstance(event, e.TurnStarted) and event.turn == 1:
            session.queue(by_ada(HandOver, target=REVIEWER, past_check=True))
        if not isinstance(event, e.MessageDelta):
            events.append(event)
    assert types(events)[-8:] == [
        "turn.started",
        "message.completed",
        "handoff.requested",
        "handoff.accepted",
        "phase.changed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert events[-2].agent_id == REVIEWER
    assert session.state.phase == "review"


async def test_a_person_chooses_another_target_at_a_pause_before_a_handoff():
    model = PlayedModel([("One moment.", handing_over(HANDLER)), ("I am the resolver.",)])
    session = session_with(model)
    session.break_points = BreakPoints(transitions=frozenset({("intake", "handling")}))
    await say(session, "Help!")
    await steer(session, by_ada(HandOver, target=RESOLVER, past_check=True))
    session.break_points = BreakPoints()
    await steer(session, by_ada(GoOn))
    rest: list[Any] = await collect(session.resume())
    assert types(rest) == [
        "phase.changed",
        "handoff.rejected",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert (rest[1].code, rest[3].agent_id) == ("handed_over", RESOLVER)


# Impossible commands


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (by_ada(Pause), "There is no run to pause"),
        (by_ada(GoOn), "is not paused"),
        (by_ada(Reply, text="Hi"), "An agent has the conversation"),
        (by_ada(HandBack, target=TRIAGE), "An agent has the conversation already"),
        (by_ada(SendNote, text="  "), "empty"),
        (by_ada(SendNote, text="x" * 8_001), "8,001 characters; 8,000 are allowed"),
        (by_ada(SendNote, text="Hi", to_agent="nobody"), "no agent 'nobody'"),
    ],
)
async def test_an_impossible_command_is_an_error_and_changes_nothing(command, sentence):
    session = session_with(two_agents())
    with pytest.raises(SteeringError, match=sentence):
        await steer(session, command)
    assert session.seq == 0


async def test_commands_at_once_are_refused_while_a_run_is_in_progress():
    session = session_with(two_agents())
    async for _ in session.receive(HELP):
        with pytest.raises(SteeringError, match="in progress"):
            session.queue(by_ada(TakeOver))
        if session.unfinished:
            with pytest.raises(SteeringError, match="in progress"):
                await steer(session, by_ada(SendNote, text="Hi"))


async def test_a_handoff_to_the_active_agent_is_refused():
    session = session_with(two_agents())
    await steer(session, by_ada(HandOver, target=HANDLER))
    again = await steer(session, by_ada(HandOver, target=HANDLER, past_check=True))
    assert types(again) == ["handoff.requested", "handoff.rejected"]


# Cut off anywhere


@pytest.mark.parametrize("topology", ["pipeline", "swarm"])
async def test_every_prefix_of_a_journal_leads_to_the_same_conversation(topology):
    """The events contain pauses, notes, handoffs by people, and the human's part."""
    turns: list[Turn] = [("One moment.", handing_over(HANDLER)), ("Done.",), ("Well.",)]
    definition = four_stages(topology=topology)
    session = session_with(PlayedModel(turns), definition)
    session.break_points = BreakPoints(stages=frozenset({"intake", "handling"}))
    told = await say(session, "Help!")
    told += await steer(session, by_ada(SendNote, text="Be kind."))
    while session.paused:
        told += await steer(session, by_ada(GoOn))
        told += await collect(session.resume())
    told += await steer(session, by_ada(TakeOver))
    told += await steer(session, by_ada(Reply, text="Hello."))
    told += await steer(session, by_ada(HandBack, target=HANDLER))
    session.break_points = BreakPoints()
    told += await collect(session.go_on())
    assert [event.seq for event in told] == list(range(1, len(told) + 1))

    for cut in range(len(told) + 1):
        again = session_with(PlayedModel([]), definition, events=as_recorded(told[:cut]))
        for event in as_recorded(told[cut:]):
            again._tree.apply(event)
        assert again.history == session.history
        assert again.state == session.state
        assert (again.human, again.paused, again.seq) == (None, None, session.seq)
