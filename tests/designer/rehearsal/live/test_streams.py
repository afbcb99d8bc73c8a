"""Runs with groups, subtasks and questions: several answers at the same time."""

import asyncio
from typing import Any, ClassVar

import pytest
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live.providers import use_providers
from orchestration.events import InputReceived, RunCompleted, SubtaskCompleted
from orchestration.messages import InboundMessage
from orchestration.providers import providers_from_environment
from tests.designer.live_conversations import (
    MAX_WAIT,
    HeldAgents,
    make_conversation,
    make_pipeline,
    pair_pipeline,
    provide,
    sample,
)
from tests.designer.live_waits import (
    cut_off,
    events_by_session,
    has,
    is_over,
    last_event,
    message,
    reloaded,
    types,
    until,
)
from tests.designer.rehearsal.live.run_waits import is_quiet_after

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("city-guide", "A guide to Lisbon"),
        ("weekend-trip", "Yes, please do"),
        ("weekend-trip", "What is there to see?"),
        ("bike-shop", "Who pays for the broken wheel?"),
    ],
)
async def test_a_run_with_subtasks_that_was_cut_off_goes_on_to_the_same_end(user, name, text):
    """Contract T-9, S-7: no finished turn, tool or subtask is repeated."""
    await in_database(make_pipeline, user, sample("city-guide"))
    conversation = await in_database(make_conversation, user, sample(name))
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    await live.say(conversation.pk, InboundMessage(id="message-1", text=text))
    await until(is_over(conversation))
    whole = await in_database(events_by_session, conversation)

    for kept in range(1, sum(map(len, whole.values())), 3):
        await cut_off(conversation, kept)
        live.wake()
        await until(is_over(conversation))
        assert await in_database(events_by_session, conversation) == whole


async def start_pair(user, provider: HeldAgents) -> Conversation:
    """Start a conversation with both members of a group in progress."""
    conversation = await in_database(make_conversation, user, pair_pipeline())
    use_providers({"default": provider})
    await live.say(conversation.pk, message())
    return conversation


def speak(conversation: Conversation, *texts: str):
    async def condition() -> bool:
        return [delta.text for delta in live.streams_of(conversation.pk)] == list(texts)

    return condition


async def test_the_members_of_a_group_stream_side_by_side(user):
    provider = HeldAgents(one=["A ", "b ", "c."], two=["X ", "y."])
    conversation = await start_pair(user, provider)
    provider.release("one", 1)
    await until(speak(conversation, "A "))
    provider.release("two", 1)
    await until(speak(conversation, "A ", "X "))
    provider.release("one", 1)
    await until(speak(conversation, "A b ", "X "))
    runs = {delta.run_id for delta in live.streams_of(conversation.pk)}
    assert runs == {f"{conversation.session_id}__group_{one}" for one in ("one_0", "two_1")}

    provider.release("two", 1)
    await until(speak(conversation, "A b "))
    provider.release("one", 1)
    await until(is_over(conversation))
    assert live.streams_of(conversation.pk) == []


async def test_each_of_several_answers_is_published_with_offsets_of_its_own(user):
    layer = get_channel_layer()
    provider = HeldAgents(one=["A "] * 10, two=["Xyz "] * 10)
    conversation = await in_database(make_conversation, user, pair_pipeline())
    channel = await layer.new_channel()
    await layer.group_add(live.group_of(conversation.pk), channel)
    use_providers({"default": provider})
    await live.say(conversation.pk, message())
    for spoken in range(1, 11):
        provider.release("one", 1)
        provider.release("two", 1)
        if spoken < 10:
            await until(speak(conversation, "A " * spoken, "Xyz " * spoken))
    await until(is_over(conversation))

    texts: dict[str, str] = {}
    published: Any = {}
    last = (await reloaded(conversation)).last_seq
    async with asyncio.timeout(MAX_WAIT):
        while published.get("seq") != last:
            published = await layer.receive(channel)
            for delta in (live.Delta(*one) for one in published.get("deltas", [])):
                before = texts.get(delta.run_id, "")
                assert len(before) >= delta.offset
                texts[delta.run_id] = before[: delta.offset] + delta.text
    one, two = sorted(texts)
    assert ("A " * 10).startswith(texts[one])
    assert ("Xyz " * 10).startswith(texts[two])


async def test_the_end_of_a_subtask_s_run_is_not_the_end_of_the_conversation_s(user):
    provider = HeldAgents(one=["A."], two=["X."])
    conversation = await start_pair(user, provider)
    provider.release("one", 1)
    await until(has(conversation, "subtask.completed"))
    assert "run.completed" in await types(conversation)
    row: Any = await reloaded(conversation)
    assert row.run_id
    assert row.lease_until > timezone.now()
    await live.say(conversation.pk, message(2))
    own = (await in_database(events_by_session, conversation))[conversation.session_id]
    assert own.count("run.started") == 1
    assert await live.withdraw(conversation.pk, "message-2")
    provider.release("two", 1)
    await until(is_over(conversation))
    ended = await last_event(conversation)
    assert (ended.type, ended.session_id) == ("run.completed", conversation.session_id)


async def test_the_text_of_each_member_is_kept_when_the_run_is_stopped(user):
    provider = HeldAgents(one=["A ", "b."], two=["X ", "y."])
    conversation = await start_pair(user, provider)
    provider.release("one", 1)
    provider.release("two", 1)
    await until(speak(conversation, "A ", "X "))
    assert await live.stop(conversation.pk)
    events = await in_database(conversation.events)
    ends = [event for event in events if isinstance(event, RunCompleted)]
    assert {event.reason for event in ends} == {"cancelled"}
    cut = {event.session_id.removeprefix(conversation.session_id): event.cut_off for event in ends}
    assert cut == {"__group_one_0": "A ", "__group_two_1": "X ", "": None}
    assert not (await reloaded(conversation)).run_id


async def test_an_answer_that_broke_off_streams_no_more_while_the_other_goes_on(user):
    provider = HeldAgents(one=["A ", HeldAgents.FAILS], two=["X ", "y."])
    conversation = await start_pair(user, provider)
    provider.release("one", 1)
    provider.release("two", 1)
    await until(speak(conversation, "A ", "X "))
    provider.release("one", 1)
    await until(speak(conversation, "X "))
    provider.release("two", 1)
    await until(is_over(conversation))
    ended = await last_event(conversation)
    assert ended.type == "run.failed"
    assert "one (The connection broke off.)" in ended.message


async def test_a_run_of_members_that_took_its_process_down_ends_as_failed(user):
    conversation = await start_pair(user, HeldAgents(one=["A."], two=["X."]))
    await until(has(conversation, "turn.started"))
    await live.shut_down()
    await in_database(Conversation.objects.filter(pk=conversation.pk).update, attempts=3)
    live.wake()
    await until(has(conversation, "run.failed"))
    assert not (await reloaded(conversation)).run_id
    assert (await last_event(conversation)).session_id == conversation.session_id


async def test_a_question_waits_and_the_next_message_is_its_answer(user):
    """Contract T-10."""
    await in_database(make_pipeline, user, sample("city-guide"))
    conversation = await in_database(make_conversation, user, sample("weekend-trip"))
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    said = InboundMessage(id="message-1", text="Plan a weekend in Lisbon")
    await live.say(conversation.pk, said)
    await until(is_over(conversation))
    assert (await types(conversation))[-2:] == ["input.requested", "run.completed"]
    assert (await last_event(conversation)).reason == "waiting_for_user"

    await live.say(conversation.pk, InboundMessage(id="message-2", text="Two, from Hamburg"))
    await until(is_over(conversation))
    events = await in_database(conversation.events)
    [answered] = [event for event in events if isinstance(event, InputReceived)]
    assert answered.text == "Two, from Hamburg"
    assert (await last_event(conversation)).reason == "replied"


async def test_a_subtask_runs_its_pipeline_as_of_the_start_of_the_rehearsal(user):
    """Contract T-9."""
    guide = await in_database(make_pipeline, user, sample("city-guide"))
    conversation = await in_database(make_conversation, user, sample("weekend-trip"))
    await in_database(guide.delete)
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    await live.say(conversation.pk, InboundMessage(id="message-1", text="A guide, please"))
    await until(is_over(conversation))
    events = await in_database(conversation.events)
    [done] = [event for event in events if isinstance(event, SubtaskCompleted)]
    assert (done.title, done.error) == ("City guide", None)
    assert done.output.startswith("Lisbon in a day.")


class UnresponsiveLayer(InMemoryChannelLayer):
    """A channel layer that never finishes publishing texts, and swallows every cancellation."""

    may_end: ClassVar[asyncio.Event]
    is_publishing: ClassVar[asyncio.Event]

    async def group_send(self, group: str, message: Any) -> None:
        if message["type"] != "answers.streamed":
            return
        self.is_publishing.set()
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue


@pytest.fixture
async def layer(settings):
    UnresponsiveLayer.may_end, UnresponsiveLayer.is_publishing = asyncio.Event(), asyncio.Event()
    path = f"{__name__}.{UnresponsiveLayer.__name__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    yield UnresponsiveLayer
    UnresponsiveLayer.may_end.set()


async def test_a_run_ends_although_its_publisher_swallows_its_cancellation(conversation, layer):
    provider = provide("Hello, ", "you.")
    await live.say(conversation.pk, message(1))
    await live.say(conversation.pk, message(2))
    provider.release(1)
    async with asyncio.timeout(MAX_WAIT):
        await layer.is_publishing.wait()
    provider.release(3)

    await until(is_quiet_after(conversation, 2))
    assert await is_over(conversation)()
