"""The conversations of a session: ids, filters and pipelines of subtasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from orchestration.conversation import CompiledPipeline, ConversationTree, Task, subtask_completed
from orchestration.definition import PipelineDefinition, Tool
from orchestration.events import (
    SubtaskCompleted,
    SubtaskStarted,
    SupervisorNoted,
    ToolReturned,
)
from orchestration.exceptions import SessionError
from orchestration.messages import SubtaskRequest
from orchestration.providers.provider import ModelRequest
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    NOON,
    PlayedModel,
    Turn,
    calling,
    every,
    handing_over,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import agents, chain, model_of, star


async def test_a_callers_filters_do_not_apply_to_subtasks():
    """Contract S-4 and T-9: though stages there may have the same names."""
    inner = chain("a", "b", topology="pipeline")
    outer = chain("a", "b", topology="pipeline", tools=[Tool(name="sub", kind="subtask")])
    outer = outer.model_copy(update={"agents": agents("a", "b", tools=("sub",))})

    def turn(request: ModelRequest) -> Any:
        if "sub" in {tool.name for tool in request.tools}:
            last = request.messages[-1]
            return ("Done.",) if last.role == "tool" else (calling("sub", task="x"),)
        return (handing_over("b"),) if request.agent.id == "a" else ("Inner.",)

    model = PlayedModel(turn)
    filters = {("at-a", "at-b"): lambda history, payload: "The outer's"}
    session = session_with(model, outer, filters=filters, pipelines=lambda request: inner)
    await say(session, "hi")
    assert not any("The outer's" in text for seen in model.seen for text in seen)


async def test_subtasks_have_different_ids_if_one_is_refused():
    """Contract S-7."""
    tools = [Tool(name=name, kind="subtask", pipeline=name) for name in ("gone", "here")]
    definition = chain("a", tools=tools)
    definition = definition.model_copy(update={"agents": agents("a", tools=("gone", "here"))})
    turns: Iterator[Turn] = iter(
        [
            (calling("gone", t="1"), calling("here", t="2"), calling("here", t="3")),
            (calling("here", t="4"),),
            ("Done.",),
        ]
    )
    model = model_of({"a": lambda request: next(turns)})
    find = lambda request: chain("x") if request.subtype == "here" else None  # noqa: E731
    events = await say(session_with(model, definition, pipelines=find), "hi")
    ids = [one.task_id for one in every(SubtaskStarted, events)]
    assert len(set(ids)) == len(ids) == 3
    assert "no pipeline 'gone'" in (only(ToolReturned, events).result.error or "")


async def test_a_peers_id_may_contain_the_mark_of_a_swarm():
    """Contract S-7: the conversation can be read again."""
    definition = star("a", "b__swarm_c", topology="swarm")
    model = model_of({"a": lambda request: (calling("handoff", target="b__swarm_c"),)})
    session = session_with(model, definition)
    events = await say(session, "hi")
    again = Session(definition, events, session_id="s1", providers={})
    assert again.state == session.state


def tree_of(find: Any = None) -> ConversationTree:
    """Return the tree of a session `s1` with a subtask tool."""
    definition = chain("a", tools=[Tool(name="sub", kind="subtask", pipeline="inner")])
    pipeline = CompiledPipeline.of(definition)
    return ConversationTree.of("s1", pipeline, lambda: NOON, {}, find)


REQUEST = SubtaskRequest(type="sub", subtype="inner")
TASK = Task("s1__task_sub_0", "subtask", "inner", "do it", "call-1", REQUEST)


def started(tree: ConversationTree) -> SubtaskStarted:
    """Return the start of the task."""
    head = tree.root.event_factory.head()
    return SubtaskStarted(
        *head,
        task_id=TASK.id,
        kind=TASK.kind,
        title=TASK.title,
        call_id=TASK.call_id,
        input=TASK.input,
    )


@pytest.mark.parametrize(
    ("session_id", "root_id"),
    [("s1", "s1"), ("s1__swarm_b_2", "s1"), ("s1__swarm_x__swarm_b_2", "s1"), ("s2", None)],
)
def test_a_peers_session_id_belongs_to_the_conversation_of_its_swarm(session_id, root_id):
    """Contract S-7."""
    node = tree_of().node_of(session_id)
    assert (node and node.conversation.id) == root_id


def test_an_event_of_an_unknown_conversation_is_refused():
    tree = tree_of()
    with pytest.raises(KeyError, match="s2"):
        tree.apply(SupervisorNoted(1, NOON, "s2", "", "at-a", text="Psst"))


def find_inner(_: SubtaskRequest) -> PipelineDefinition:
    return chain("x")


def find_none(_: SubtaskRequest) -> None:
    return None


def find_fails(_: SubtaskRequest) -> PipelineDefinition:
    raise LookupError("no store")


@pytest.mark.parametrize(
    ("find", "error"),
    [
        (find_inner, None),
        (find_none, "There is no pipeline 'inner' for this subtask."),
        (None, "There is no pipeline 'inner' for this subtask."),
        (find_fails, "The pipeline 'inner' could not be found: no store"),
    ],
)
def test_the_pipeline_of_a_subtask_is_found_before_it_starts(find, error):
    tree = tree_of(find)
    assert tree.missing_pipeline(TASK, tree.root) == error


def test_a_subtask_is_a_node_from_its_start_to_its_end():
    """Contract T-9."""
    tree = tree_of(find_inner)
    assert tree.missing_pipeline(TASK, tree.root) is None
    tree.apply(started(tree))
    node = tree.nodes[TASK.id]
    assert node.parent is tree.root
    assert node.conversation.depth == 1
    assert node.conversation.lineage == (("inner", "do it"),)
    assert [agent.id for agent in node.pipeline.definition.agents] == ["x"]
    end = subtask_completed(node)
    assert isinstance(end, SubtaskCompleted)
    assert (end.task_id, end.call_id, end.error) == (TASK.id, "call-1", "It did not finish.")
    tree.apply(end)
    assert list(tree.nodes) == ["s1"]


@pytest.mark.parametrize("find", [None, find_none, find_fails])
def test_a_subtask_without_its_pipeline_can_still_be_read(find):
    tree = tree_of(find)
    tree.apply(started(tree))
    assert tree.nodes[TASK.id].pipeline.definition.agents == ()


def test_the_main_conversation_is_not_a_subtask():
    with pytest.raises(SessionError, match="'s1' is not a subtask"):
        subtask_completed(tree_of().root)
