"""Socket of a conversation with several answers at the same time, or with subtasks."""

import re

import pytest

from designer.core.database import in_database
from designer.rehearsal import live
from designer.rehearsal.live.providers import use_providers
from orchestration.definition import Agent, Cue, CueCall, Stage, Transition
from orchestration.providers import providers_from_environment
from tests.designer.live_conversations import HeldAgents, Reader, make_conversation, pair_pipeline

pytestmark = pytest.mark.django_db(transaction=True)


async def both_speaking(client, user, **words: list[str]) -> tuple[Reader, HeldAgents]:
    """Reader of a conversation with both members of a group in progress."""
    conversation = await in_database(make_conversation, user, pair_pipeline())
    provider = HeldAgents(**words)
    use_providers({"default": provider})
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await reader.resume()
    await reader.say("Hello")
    while "".join(reader.frames).count("data-streaming") < 2:
        await reader.receive()
    return reader, provider


async def test_simultaneous_answers_of_members_are_shown_separately(client, user):
    reader, provider = await both_speaking(client, user, one=["A ", "b."], two=["X ", "y."])
    provider.release("one", 1)
    while reader.streamed("group_one") != "A ":
        await reader.receive()
    provider.release("two", 1)
    while reader.streamed("group_two") != "X ":
        await reader.receive()
    provider.release("one", 1)
    await reader.until("subtask.completed")
    provider.release("two", 1)
    await reader.until_run_ends()
    page = "".join(reader.frames)
    for member, said in (("one_0", "A b."), ("two_1", "X y.")):
        assert re.search(rf'id="turn-[^"]*{member}-1-text"[^>]*><p>{said}</p></div>', page)
    assert reader.seen == list(range(1, reader.seen[-1] + 1))
    await live.shut_down()
    await reader.leave()


async def test_a_member_is_read_after_another_has_ended(client, user):
    """Events that are recorded meanwhile do not hide streamed text."""
    reader, provider = await both_speaking(client, user, one=["A."], two=["X ", "y ", "z."])
    provider.release("one", 1)
    await reader.until("subtask.completed")
    provider.release("two", 2)
    while reader.streamed("group_two") != "X y ":
        await reader.receive()
    await live.shut_down()
    await reader.leave()


async def test_a_late_reader_gets_every_answer_from_its_beginning(client, user):
    reader, provider = await both_speaking(client, user, one=["A ", "b."], two=["X ", "y."])
    provider.release("one", 1)
    provider.release("two", 1)
    while (reader.streamed("group_one"), reader.streamed("group_two")) != ("A ", "X "):
        await reader.receive()
    for after in (0, reader.cursor):
        late = Reader(client, reader.conversation_id)
        await late.connect()
        await late.resume(after=after)
        while (late.streamed("group_one"), late.streamed("group_two")) != ("A ", "X "):
            await late.receive()
        await late.leave()
    await live.shut_down()
    await reader.leave()


async def test_the_text_of_a_subtask_is_not_sent_as_an_answer(client, user):
    """The page has no element for it, because a delegate does not speak to the user."""
    lead = Agent(
        id="lead",
        name="Lead",
        cues=[
            Cue(call=CueCall(tool="delegate_to_one", arguments={"task": "?"}), say="So: {result}")
        ],
    )
    definition = pair_pipeline(
        topology="team",
        agents=[lead, Agent(id="one", name="One", cues=[Cue(say="Word for word for word.")])],
        stages=[Stage(phase="lead", agent_id="lead"), Stage(phase="one", agent_id="one")],
        transitions=[Transition(source="lead", target="one")],
        entry="lead",
    )
    conversation = await in_database(make_conversation, user, definition)
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "40"}))
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await reader.resume()
    await reader.say("Hello")
    await reader.until_run_ends()
    targets = set(
        re.findall(r"(?:innerHTML|beforeend):#(turn-[^\"]+)-text", "".join(reader.frames))
    )
    assert len(targets) == 1
    assert "team" not in targets.pop()
    await live.shut_down()
    await reader.leave()
