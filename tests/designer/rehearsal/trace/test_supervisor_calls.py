"""Calls of the supervisor: their moments, decisions and costs, and the name of the supervisor."""

import re

import pytest

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.supervisor_calls import (
    NO_DECISION,
    SupervisorCall,
    call_context,
)
from orchestration import events as e
from orchestration.messages import ToolCall, ToolResult, Usage
from tests.designer.htmx_page import find, text_of
from tests.designer.live_conversations import sample
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.trace.event_stories import head
from tests.designer.rehearsal.trace.supervised_pages import (
    PRICE,
    detail,
    match,
    opened,
    part,
    record_supervised,
    rows,
)
from tests.orchestration.conversations import HANDLER, four_stages

NAMES = Names.of(four_stages())


@pytest.mark.django_db
def test_each_call_is_a_group_with_its_moment_decision_tokens_and_cost(user):
    conversation = record_supervised(user)
    found = rows(conversation, prices=PRICE)
    heads, ends = part(found, "head"), part(found, "end")
    calls = [match(r'data-call="([^"]+)"', row)[1] for row in heads]
    assert len(calls) == len(set(calls)) == len(ends) > 1
    assert all("event__fold" in row for row in heads)
    assert all(">supervision</span>" in row for row in [*heads, *ends])
    last = [row for row in found if f'data-call="{calls[-1]}"' in row]
    assert "called after a handoff" in last[0]
    decided = r"sent a note, handed over to a person · [\d,]+ in · [\d,]+ out · \$0\.0\d+"
    assert re.fullmatch(decided, detail(last[-1]))
    assert detail(ends[0]).startswith("changed nothing · ")
    assert all('data-depth="1"' in row for row in last[1:-1])
    effects = [row for row in found if 'data-kind="handoff"' in row or 'data-kind="note"' in row]
    assert effects
    assert not any("data-call" in row for row in effects)


@pytest.mark.django_db
def test_a_supervisor_of_another_name_is_marked_and_always_named(user):
    desk = sample("support-desk")
    agents = tuple(
        agent.model_copy(update={"name": "The customer"})
        if agent.id == desk.supervisor_id
        else agent
        for agent in desk.agents
    )
    definition = desk.model_copy(update={"agents": agents})
    page = opened(record_rehearsal(user, "I am furious!", definition=definition))
    chat = text_of(find(page, "chat-log")[1][2])
    assert "requested by The customer (supervisor)" in chat, "though the reason has the name too"
    assert "Note to the next agent by The customer (supervisor)" in chat


def called(name: str, arguments: str = "{}", error: str | None = None) -> SupervisorCall:
    """Return a call of the supervisor after it used a tool."""
    call = ToolCall(id="c1", name=name, arguments=arguments)
    asked = e.MessageCompleted(*head(2), turn=1, text="", usage=Usage(), tool_calls=(call,))
    result = ToolResult(call_id="c1", name=name, error=error)
    returned = e.ToolReturned(*head(3), result=result)
    begun = SupervisorCall("Supervisor")
    return begun.after(asked, NAMES, 0.5).after(returned, NAMES, None)


@pytest.mark.parametrize(
    ("name", "arguments", "decision"),
    [
        ("note", "{}", "sent a note"),
        ("note", f'{{"to_agent": "{HANDLER}"}}', "sent Handler a note"),
        ("pause", "{}", "paused the run"),
        ("redirect", f'{{"target": "{HANDLER}"}}', "handed over to Handler"),
        ("escalate", "{}", "handed over to a person"),
        ("note", "no JSON", "sent a note"),
        ("note", "[1]", "sent a note"),
    ],
)
def test_each_tool_of_the_supervisor_is_a_decision(name, arguments, decision):
    assert called(name, arguments).decisions == (decision,)


def test_a_refused_decision_is_named_by_its_tool():
    assert called("redirect", error="There is no such stage.").decisions == ("redirect refused",)


def test_the_usage_of_all_turns_of_a_call_is_added():
    call, usage = SupervisorCall("Supervisor"), Usage(input_tokens=3, output_tokens=2)
    for number in (1, 2):
        answer = e.MessageCompleted(*head(number), turn=number, text="Done.", usage=usage)
        call = call.after(answer, NAMES, 0.25)
    assert (call.spent.turns, call.spent.input_tokens, call.spent.cost) == (2, 6, 0.5)
    assert call.decisions == ()


def test_the_end_of_an_unknown_call_changed_nothing():
    ended = e.SubtaskCompleted(
        *head(4), task_id="task-1", kind="supervision", title="", usage=Usage()
    )
    context = call_context(ended, None, "")
    assert (context["call"], context["call_part"]) == ("task-1", "end")
    assert (context["decision"], context["cost"]) == (NO_DECISION, "")
