"""Journals: order and time of recording."""

from contextlib import aclosing

from orchestration.events import Event
from orchestration.messages import InboundMessage
from orchestration.runtime import MemoryJournal
from tests.orchestration.conversations import (
    HANDLER,
    PlayedModel,
    calling,
    handing_over,
    session_with,
    with_tools,
)

HELLO = InboundMessage(id="1", text="hi")


async def test_each_event_is_in_the_journal_before_it_is_yielded():
    """Contract S-7: a yielded event is recorded, and no later one."""
    journal = MemoryJournal()
    model = PlayedModel([(calling("look"),), (handing_over(HANDLER),), ("Hello.",)])
    session = session_with(
        model, with_tools("look"), tools={"look": lambda: "found"}, journal=journal
    )
    given: list[Event] = []
    async with aclosing(session.run(HELLO)) as events:
        async for event in events:
            if event.type != "message.delta":
                given.append(event)
            assert journal.events == given


async def test_an_event_recorded_twice_is_stored_once():
    """Contract S-7: after a cancelled recording the same event comes again."""
    journal = MemoryJournal()
    async with aclosing(session_with(PlayedModel([]), journal=journal).run(HELLO)) as events:
        async for event in events:
            await journal.record(event)
    assert [event.seq for event in journal.events] == list(range(1, len(journal.events) + 1))
    again = MemoryJournal(journal.events)
    await again.record(journal.events[0])
    assert again.events == journal.events
