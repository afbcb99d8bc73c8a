"""Subtasks in a conversation."""

import pytest

from orchestration.conversation import find_template
from orchestration.definition import Tool
from orchestration.events import (
    MessageCompleted,
    RunCompleted,
    SubtaskCompleted,
    SubtaskStarted,
    ToolReturned,
)
from orchestration.exceptions import HandlerError
from orchestration.library import TaskSystem
from orchestration.messages import SubtaskRequest
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.task_templates import CONTRACTS, LETTERS, SYSTEM
from tests.orchestration.topologies import (
    agents,
    chain,
    echo,
    model_of,
    once,
)

SUMMARISE = Tool(
    name="summarise",
    kind="subtask",
    pipeline="Summary",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}},
)


def asking():
    definition = chain("a", tools=[SUMMARISE])
    return definition.model_copy(update={"agents": agents("a", tools=(SUMMARISE.name,))})


async def test_a_subtask_tool_runs_another_pipeline_in_its_own_context():
    """Contract T-9."""
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


async def test_a_subtask_without_a_pipeline_is_an_error():
    """Contract T-9."""
    model = model_of({"a": once(calling("summarise", text="long"))})
    events = await say(session_with(model, asking(), pipelines=lambda request: None), "hi")
    assert "no pipeline 'Summary'" in (only(ToolReturned, events).result.error or "")


async def test_a_request_nested_in_itself_is_a_cycle():
    """Contract T-9."""
    model = model_of({"a": once(calling("summarise", text="long"))})
    events = await say(session_with(model, asking(), pipelines=lambda request: asking()), "hi")
    assert "cycle" in (only(ToolReturned, events).result.error or "")
    assert len(every(SubtaskStarted, events)) == 1


async def test_subtasks_nest_five_deep():
    """Contract T-9."""

    def deeper(request):
        last = request.messages[-1]
        if last.role == "tool":
            return (last.text,)
        return (calling("summarise", text=last.text + "+"),)

    model = model_of({"a": deeper})
    events = await say(session_with(model, asking(), pipelines=lambda request: asking()), "hi")
    assert len(every(SubtaskStarted, events)) == 5
    assert "at most 5 deep" in (only(ToolReturned, events).result.error or "")


async def test_a_workflow_calls_one_model_per_answer():
    model = PlayedModel(echo)
    await say(session_with(model, chain("a", "b", "c")), "hi")
    assert len(model.requests) == 3


# Pipelines of subtasks


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (SubtaskRequest(type="x", subtype="Letters"), "Letters"),
        (SubtaskRequest(type="x", subtype="Nobody's", template_hints=("letters",)), None),
        (SubtaskRequest(type="x", template_hints=("Risks in CONTRACTS",)), "Contract review"),
        (SubtaskRequest(type="x", template_hints=("reads", "letters")), "Letters"),
        (SubtaskRequest(type="x", template_hints=("contracts",)), "Contract review"),
        (SubtaskRequest(type="x", template_hints=("dancing",)), None),
        (SubtaskRequest(type="write_letters"), "Letters"),
        (SubtaskRequest(type="x"), None),
    ],
    ids=[
        "named",
        "named wrongly",
        "words",
        "name before description",
        "a tie",
        "none",
        "type",
        "x",
    ],
)
def test_a_template_is_found_by_name_or_by_hints(request_, found):
    """Contract T-9: by full name, else by words; the first of equals."""
    template = SYSTEM.find(request_)
    assert (template.name if template else None) == found
    assert find_template(request_, [CONTRACTS, LETTERS]) is template


def test_a_template_is_registered_once():
    """Contract T-9."""
    system = TaskSystem([CONTRACTS])
    with pytest.raises(HandlerError, match=r"^Duplicate template 'Contract review' in TaskSystem$"):
        system.register(CONTRACTS)
    system.register(LETTERS)
    assert system.templates == (CONTRACTS, LETTERS)
