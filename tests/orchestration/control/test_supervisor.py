"""Commands of a supervisor (contract O-5)."""

from __future__ import annotations

import pytest

from orchestration.control import GoOn
from orchestration.definition import HUMAN
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    RunCompleted,
    RunPaused,
    SupervisorNoted,
    ToolReturned,
    TurnStarted,
)
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import ToolCall
from orchestration.providers.provider import CallPiece
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    Turn,
    calling,
    collect,
    every,
    handing_over,
    only,
    say,
)
from tests.orchestration.supervised_sessions import (
    WATCHER,
    ends_of,
    of_conversation,
    supervised,
    supervised_session,
)

TO_HANDLER: Turn = (handing_over(HANDLER),)
HELLO: Turn = ("Hello.",)
DONE: Turn = ("Done.",)


def errors_of(events: list[Event]) -> list[str | None]:
    """Return the errors of the supervisor's calls, None for an accepted one."""
    returned = every(ToolReturned, events)
    return [each.result.error for each in returned if each.agent_id == WATCHER]


async def test_a_note_reaches_only_its_agent_before_its_next_turn():
    note: Turn = (calling("note", text="The customer is angry.", to_agent=HANDLER),)
    session, model = supervised_session([TO_HANDLER, HELLO], [note, DONE], "handoff")
    events = await say(session, "hi")
    noted = only(SupervisorNoted, events)
    assert (noted.by, noted.to_agent, noted.session_id) == ("Watcher", HANDLER, "s1")
    assert "[supervisor]: The customer is angry." in model.seen[-1]
    assert errors_of(events) == [None]
    assert session.conversation.output == "Hello."


async def test_a_supervisor_may_call_agents_by_their_names():
    """Contract O-5, D-8."""
    turns: list[Turn] = [
        (calling("note", text="The customer is angry.", to_agent="Handler"),),
        (calling("redirect", target="handler", reason="r"),),
        DONE,
    ]
    session, _ = supervised_session([HELLO, ("Yes.",)], turns, "run_end")
    events = await say(session, "hi")
    assert only(SupervisorNoted, events).to_agent == HANDLER
    assert only(HandoffAccepted, events).to_agent == HANDLER


async def test_a_note_at_the_end_reaches_the_next_turn():
    note: Turn = (calling("note", text="Be brief."),)
    session, model = supervised_session([HELLO, HELLO], [note, DONE], "run_end")
    await say(session, "hi")
    await say(session, "again")
    answered = [seen for seen in model.seen if "again" in seen]
    assert "[supervisor]: Be brief." in answered[0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"text": "x", "to_agent": "nobody"}, "There is no agent 'nobody' in this pipeline."),
        ({"text": "  "}, "Write something first."),
        ({}, "Write something first."),
        ({"text": ["x"]}, "text"),
        ({"text": "x" * 9_000}, "characters"),
    ],
)
async def test_a_wrong_note_is_an_error_that_the_supervisor_can_correct(arguments, error):
    wrong: Turn = (calling("note", **arguments),)
    right: Turn = (calling("note", text="Be kind."),)
    session, model = supervised_session([HELLO], [wrong, right, DONE], "run_end")
    events = await say(session, "hi")
    first, second = errors_of(events)
    assert error in (first or "")
    assert second is None
    assert only(SupervisorNoted, events).text == "Be kind."
    assert any(text.startswith("Error: ") for text in model.seen[2])


async def test_a_pause_stops_the_run_before_the_next_turn():
    pause: Turn = (calling("pause", reason="A third round."),)
    session, model = supervised_session([TO_HANDLER, HELLO], [pause, DONE], "handoff")
    events = await say(session, "hi")
    paused = events[-1]
    assert isinstance(paused, RunPaused)
    assert (paused.why, paused.ahead, paused.target) == ("asked", "turn", HANDLER)
    assert (paused.by, paused.reason) == ("Watcher", "A third round.")
    assert session.paused == paused
    assert len(ends_of(events)) == 1
    list(session.steer(GoOn(id="c1", by="Ada")))
    rest = await collect(session.resume())
    assert every(RunPaused, rest) == []
    assert only(RunCompleted, of_conversation(rest)).reason == "replied"
    assert [request.agent.id for request in model.requests] == [TRIAGE, WATCHER, WATCHER, HANDLER]


async def test_there_is_nothing_to_pause_at_the_end_of_a_run():
    pause: Turn = (calling("pause", reason="Wait."),)
    session, _ = supervised_session([HELLO], [pause, DONE], "run_end")
    events = await say(session, "hi")
    assert errors_of(events) == ["The run is about to end, so there is nothing to pause."]
    assert every(RunPaused, events) == []


async def test_a_redirection_continues_the_run_with_another_agent():
    redirect: Turn = (calling("redirect", target=REVIEWER, reason="It needs a review."),)
    session, model = supervised_session(
        [TO_HANDLER, HELLO, ("Reviewed.",)], [redirect, DONE], "handoff"
    )
    events = await say(session, "hi")
    accepted = every(HandoffAccepted, events)[-1]
    assert (accepted.to_agent, accepted.by, accepted.reason) == (
        REVIEWER,
        "Watcher",
        "It needs a review.",
    )
    assert not accepted.forced
    assert session.state.active_agent_id == REVIEWER
    assert [request.agent.id for request in model.requests].count(WATCHER) == 2


async def test_a_redirection_at_the_end_lets_another_agent_answer():
    redirect: Turn = (calling("redirect", target=HANDLER, reason="Nobody has answered it."),)
    session, _ = supervised_session([HELLO, ("I can help.",)], [redirect, DONE], "run_end")
    events = await say(session, "hi")
    assert session.conversation.output == "I can help."
    assert [end.error for end in ends_of(events)] == [None, None]
    assert only(RunCompleted, of_conversation(events)).handoffs == 1


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("nowhere", "There is no agent 'nowhere' here."),
        (RESOLVER, "There is no transition from stage 'intake'"),
        (TRIAGE, "There is no transition from stage 'intake'"),
        ("", "Choose a target first."),
        (HUMAN, "A redirection leads to an agent: name an agent."),
        ("Human", "A redirection leads to an agent: name an agent."),
    ],
)
async def test_a_redirection_has_the_usual_check(target, error):
    wrong: Turn = (calling("redirect", target=target, reason="r"),)
    right: Turn = (calling("redirect", target=HANDLER, reason="r"),)
    session, _ = supervised_session([HELLO, ("Yes.",)], [wrong, right, DONE], "run_end")
    events = await say(session, "hi")
    first, second = errors_of(events)[:2]
    assert error in (first or "")
    assert second is None
    assert only(HandoffAccepted, events).to_agent == HANDLER
    assert session.state.active_agent_id == HANDLER


async def test_a_rejected_redirection_calls_the_supervisor_no_second_time():
    wrong: Turn = (calling("redirect", target="nowhere", reason="r"),)
    session, _ = supervised_session([HELLO], [wrong, DONE], "rejection", "run_end")
    events = await say(session, "hi")
    assert len(every(HandoffRejected, events)) == 1
    assert len(ends_of(events)) == 1


@pytest.mark.parametrize("allow_human", [True, False])
async def test_an_escalation_hands_over_to_the_human_also_past_the_check(allow_human):
    escalate: Turn = (calling("escalate", reason="The customer is angry."),)
    definition = supervised("run_end", allow_human=allow_human)
    session, _ = supervised_session([HELLO], [escalate, DONE], definition=definition)
    events = await say(session, "I am angry")
    accepted = only(HandoffAccepted, events)
    assert (accepted.to_agent, accepted.by, accepted.forced) == (None, "Watcher", not allow_human)
    assert session.state.with_human
    assert only(RunCompleted, of_conversation(events)).reason == "waiting_for_human"
    assert len(ends_of(events)) == 1


async def test_an_escalation_to_a_person_who_has_the_conversation_is_an_error():
    escalate: Turn = (calling("escalate", reason="r"),)
    session, _ = supervised_session([(handing_over(HUMAN),)], [escalate, DONE], "handoff")
    events = await say(session, "hi")
    assert errors_of(events) == ["A person has the conversation: hand it back instead."]


async def test_several_calls_of_one_turn_take_effect_in_order():
    turn: Turn = (
        calling("note", call_id="a", text="One."),
        calling("redirect", call_id="b", target=HANDLER, reason="r"),
        calling("escalate", call_id="c", reason="r"),
    )
    session, _ = supervised_session([HELLO], [turn, DONE], "run_end")
    events = await say(session, "hi")
    assert errors_of(events) == [None, None, None]
    accepted = [event.to_agent for event in every(HandoffAccepted, events)]
    assert accepted == [HANDLER, None]


async def test_arguments_that_are_no_json_are_an_error_of_the_call():
    broken = CallPiece(ToolCall(id="x", name="note", arguments='{"text"'))
    session, _ = supervised_session([HELLO], [(broken,), DONE], "run_end")
    (error,) = errors_of(await say(session, "hi"))
    assert "JSON" in (error or "")


async def test_an_action_that_is_not_allowed_is_no_tool():
    definition = supervised("run_end", may=("note",))
    session, _ = supervised_session(
        [HELLO], [(calling("escalate", reason="r"),), DONE], definition=definition
    )
    events = await say(session, "hi")
    assert not session.state.with_human
    assert ["There is no tool 'escalate'" in (error or "") for error in errors_of(events)] == [True]


async def test_the_commands_have_ids_of_their_own():
    note: Turn = (calling("note", call_id="same", text="One."),)
    session, _ = supervised_session([HELLO, HELLO], [note, note, DONE, note, DONE], "run_end")
    events = await say(session, "hi") + await say(session, "again")
    ids = [noted.command_id for noted in every(SupervisorNoted, events)]
    assert len(set(ids)) == 3


async def test_a_redirection_calls_the_hooks_of_a_handoff():
    hooks, calls = Hooks(), []

    @hooks.on(HookTrigger.ON_HANDOFF)
    def remember(event: HandoffAccepted, _: object) -> None:
        calls.append(event.to_agent)

    redirect: Turn = (calling("redirect", target=HANDLER, reason="r"),)
    session, _ = supervised_session([HELLO, HELLO], [redirect, DONE], "run_end", hooks=hooks)
    await say(session, "hi")
    assert calls == [HANDLER]


async def test_a_redirection_counts_against_the_limit_of_handoffs():
    definition = supervised("run_end", limits={"max_handoffs": 0})
    redirect: Turn = (calling("redirect", target=HANDLER, reason="r"),)
    session, _ = supervised_session([HELLO], [redirect, DONE], definition=definition)
    events = await say(session, "hi")
    assert only(HandoffRejected, events).code == "limit"
    assert only(RunCompleted, of_conversation(events)).reason == "replied"


async def test_the_requests_of_a_redirection_name_the_supervisor():
    redirect: Turn = (calling("redirect", target="handling", reason="r"),)
    session, _ = supervised_session([HELLO, HELLO], [redirect, DONE], "run_end")
    requested = only(HandoffRequested, await say(session, "hi"))
    assert (requested.by, requested.call_id) == ("Watcher", "")


async def test_turns_of_the_supervisor_do_not_use_up_the_turns_of_the_run():
    definition = supervised("every_turn", limits={"max_turns": 2})
    note: Turn = (calling("note", text="x"),)
    session, _ = supervised_session(
        [(calling("look"),), HELLO], [note, DONE, note, DONE], definition=definition
    )
    events = await say(session, "hi")
    assert only(RunCompleted, of_conversation(events)).reason == "replied"
    assert len(every(TurnStarted, events)) == 6
