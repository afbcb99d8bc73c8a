"""Options and replays of runs."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from orchestration import InboundMessage, MemoryJournal, Message, Session
from orchestration.events import Event, TurnStarted
from orchestration.library.runner import run_options
from tests.orchestration.conversations import NOON, calling, every, types
from tests.orchestration.library_agents import forbidden_model, handler, outputs, results_of, to
from tests.orchestration.topologies import model_of, once


def test_only_known_arguments_are_options_of_a_run():
    """Contract H-1."""
    arguments = {"session_id": "s1", "colour": "blue", "hooks": None}
    assert run_options(arguments) == {"session_id": "s1", "hooks": None}


async def test_earlier_messages_are_part_of_the_prompt():
    """`messages` come before the new message."""
    before = [
        Message(role="user", text="My name is Ada.", at=NOON),
        Message(role="assistant", text="Hello, Ada.", at=NOON, agent_id="a"),
    ]
    model = model_of({})
    await results_of(handler("handoff", provider=model), messages=before)
    assert model.seen == [["My name is Ada.", "Hello, Ada.", "hi"]]


async def test_a_conversation_continues_with_its_active_agent():
    """By `state`, or by the recorded events of the session."""
    made = handler("handoff", {"a": to("b")})
    journal = MemoryJournal()
    await results_of(made, session_id="s1", journal=journal)
    following = await results_of(
        made, "and?", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    assert outputs(following) == [("b", "b(and?)")]
    session = Session(made.definition, journal.events, session_id="s1", providers={})
    assert [message.text for message in session.history if message.role == "user"] == ["hi", "and?"]
    assert outputs(await results_of(made, state=session.state)) == [("b", "b(hi)")]


async def test_unknown_arguments_are_ignored():
    """Contract H-1: additional context."""
    assert len(await results_of(handler("workflow"), colour="blue")) == 3


@given(st.data())
async def test_a_recorded_run_is_yielded_again_and_only_the_rest_is_run(data):
    """Contract S-7, for every prefix of what is recorded."""
    plays = {"a": to("b"), "b": once(calling("handoff", target="c"))}
    journal = MemoryJournal()
    whole = await results_of(handler("handoff", plays), session_id="s1", journal=journal)
    cut = data.draw(st.integers(0, len(journal.events)))
    recorded: list[Event] = journal.events[:cut]
    model = forbidden_model() if cut == len(journal.events) else model_of(plays)
    again = MemoryJournal(recorded)
    results = await results_of(
        handler("handoff", provider=model), session_id="s1", events=recorded, journal=again
    )
    assert [(r.agent, r.output, r.reason) for r in results] == [
        (r.agent, r.output, r.reason) for r in whole
    ]
    assert types(again.events) == types(journal.events)
    started = len(every(TurnStarted, recorded))
    ended = types(recorded).count("message.completed")
    assert len(model.requests) == 3 - ended
    assert started - ended in (0, 1)


async def test_a_message_that_was_answered_is_not_answered_twice():
    """Contract S-7: also after a later message."""
    made = handler("workflow")
    journal = MemoryJournal()
    first = await results_of(made, "one", session_id="s1", message_id="1", journal=journal)
    await results_of(
        made, "two", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    again = await results_of(
        handler("workflow", provider=forbidden_model()),
        "one",
        session_id="s1",
        message_id="1",
        events=journal.events,
    )
    assert outputs(again) == outputs(first)


async def test_a_replay_does_not_continue_another_unfinished_run():
    """Contract S-7: only the events of the earlier message are yielded."""
    journal = MemoryJournal()
    first = await results_of(handler("workflow"), session_id="s1", message_id="1", journal=journal)
    made = handler("workflow", provider=forbidden_model())
    again = made.handle(
        "hi",
        session_id="s1",
        message_id="1",
        events=[*journal.events, *another_run(journal.events)],
    )
    assert outputs([result async for result in again]) == outputs(first)


def another_run(recorded: list[Event]) -> list[Event]:
    """Return the start of another, unfinished run."""
    message = InboundMessage(id="2", text="and?")
    started = msgspec.structs.replace(
        recorded[0], seq=len(recorded) + 1, run_id="run-2", message=message
    )
    return [started]
