"""Data of a conversation: the views of its agents and their filters."""

from __future__ import annotations

from collections.abc import Iterator

from orchestration.conversation import (
    ReducedState,
    RunProgress,
    View,
)
from orchestration.conversation.conversation_data import ConversationData
from orchestration.definition import Group, InputFilter, Transition
from orchestration.events import HandoffAccepted
from orchestration.messages import Message
from orchestration.state import ConversationState
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    TRIAGE,
    PlayedModel,
    Turn,
    handing_over,
    only,
    replayed,
    say,
    session_with,
)
from tests.orchestration.topologies import model_of, with_group

FIRST = ConversationState(phase="intake")

PANEL = Group(agents=("b", "a", "c"))


async def test_every_agent_has_its_own_view():
    session = session_with(PlayedModel([("One moment.", handing_over(HANDLER)), ("Hello.",)]))
    conversation = replayed(FIRST, await say(session, "hi"))
    assert isinstance(conversation, ReducedState)
    assert conversation.view(TRIAGE) is conversation.view(TRIAGE)
    assert [message.role for message in conversation.view(TRIAGE).messages] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert conversation.view(HANDLER).messages[-1].text == "Hello."


async def test_a_group_sees_only_the_messages_that_a_filter_keeps():
    """Contract S-4 and S-6: only the question of the current run."""
    way = Transition(source="intake", target="panel", input_filter=InputFilter(keep="summary"))
    turns: Iterator[Turn] = iter([("A secret.",), (handing_over("panel", summary="look"),)])
    model = model_of({"first": lambda request: next(turns)})
    definition = with_group(PANEL, transitions=[way])
    session = session_with(model, definition)
    await say(session, "one")
    await say(session, "two")
    asked = [request for request in model.requests if request.agent.id == "a"][-1]
    said = [message.text for message in asked.messages]
    assert said == ["two\n\n[Context from previous agent (first)]: look"]


async def test_a_group_sees_only_the_prompt_of_a_callers_filter():
    """Contract S-4."""
    model = model_of({"first": lambda request: (handing_over("panel", summary="look"),)})
    definition = with_group(PANEL, transitions=[Transition(source="intake", target="panel")])
    filters = {("intake", "panel"): lambda history, payload: "Only this"}
    await say(session_with(model, definition, filters=filters), "one")
    asked = [request for request in model.requests if request.agent.id == "a"][-1]
    assert [message.text for message in asked.messages] == ["Only this"]


def user(text: str) -> Message:
    """Return a message of the user."""
    return Message(role="user", text=text, at=NOON)


def test_a_view_follows_the_history():
    conversation = ConversationData("s1", FIRST)
    assert conversation.view(TRIAGE).messages == []
    conversation.history.append(user("hi"))
    assert [message.text for message in conversation.view(TRIAGE).messages] == ["hi"]


def test_a_set_view_keeps_its_messages_and_gets_new_ones():
    conversation = ConversationData("s1", FIRST)
    earlier = View(TRIAGE)
    earlier.catch_up([user("before")])
    conversation.set_view(TRIAGE, earlier.copy())
    conversation.history.append(user("hi"))
    assert [message.text for message in conversation.view(TRIAGE).messages] == ["before", "hi"]


def test_the_view_before_a_run_ends_at_its_start():
    conversation = ConversationData("s1", FIRST, history=[user("one")])
    conversation.run = RunProgress("run", None, history_start=1)
    conversation.history.append(user("two"))
    before = conversation.view_before_run(TRIAGE)
    assert [message.text for message in before.messages] == ["one"]
    assert before is not conversation.member_view(TRIAGE, 1)


async def test_a_handoff_is_filtered_with_the_state_before_it():
    events = await say(session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)])), "hi")
    handoff, calls = only(HandoffAccepted, events), []
    conversation = ConversationData("s1", FIRST)
    conversation.filter_view = lambda event, state: calls.append((event, state.phase))
    conversation.apply_handoff(handoff)
    assert calls == [(handoff, "intake")]
    assert (conversation.state.phase, conversation.state.active_agent_id) == ("handling", HANDLER)
    assert conversation.received_from == {HANDLER: handoff}
    assert conversation.came_from == TRIAGE
