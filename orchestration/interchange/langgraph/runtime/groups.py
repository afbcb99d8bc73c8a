"""Groups of agents as a graph, and agents that do a task of their own."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import END, START, StateGraph

Worker = Runnable[str, str]
"""An agent or a group that turns a task into an answer."""


TASK = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "All information they need: they see nothing else.",
        }
    },
    "required": ["task"],
}


class GroupState(TypedDict):
    """State of a group: its task, and the outputs of its members."""

    task: str
    outputs: Annotated[dict[str, str], operator.or_]


def worker(agent: Runnable[Any, Any]) -> Worker:
    """Return an agent that sees only its task."""
    return RunnableLambda(asked) | agent | RunnableLambda(answered)


def group(
    members: Mapping[str, Runnable[Any, Any]],
    needs: Mapping[str, Sequence[str]],
    *,
    chained: bool = False,
) -> Worker:
    """Return a group: each member begins after those that it needs, and gets their outputs.

    The members of a chained group get the output of the previous member in place of the task.
    """
    builder = StateGraph(GroupState)
    for name, agent in members.items():
        builder.add_node(name, member(name, agent, needs.get(name, ()), chained=chained))
        builder.add_edge(list(needs[name]) if needs.get(name) else START, name)
        if not any(name in others for others in needs.values()):
            builder.add_edge(name, END)
    order = list(members)
    graph = builder.compile()
    return RunnableLambda(begun) | graph | RunnableLambda(lambda state: joined(order, state))


def member(
    name: str, agent: Runnable[Any, Any], needs: Sequence[str], *, chained: bool
) -> Runnable[GroupState, dict[str, Any]]:
    """Return the node of a member."""

    def task_of(state: GroupState) -> str:
        outputs = state["outputs"]
        if chained:
            return outputs[needs[0]] if needs else state["task"]
        return "\n\n".join([state["task"], *(f"[{each}]: {outputs[each]}" for each in needs)])

    return (
        RunnableLambda(task_of)
        | worker(agent)
        | RunnableLambda(lambda text: {"outputs": {name: text}})
    )


def group_stage(
    stage: str, members: Worker, after: str | None = None
) -> Runnable[Mapping[str, Any], dict[str, Any]]:
    """Return the node of a stage that a group serves: it adds one message with all outputs."""

    def said(text: str) -> dict[str, Any]:
        return {"messages": [AIMessage(text, name=stage)], "active_agent": after or stage}

    return RunnableLambda(stage_input) | members | RunnableLambda(said)


def delegation_tool(name: str, description: str, colleague: Worker) -> BaseTool:
    """Return a tool that has a colleague do a task and returns the answer."""

    def do(task: str) -> str:
        return colleague.invoke(task)

    async def ado(task: str) -> str:
        return await colleague.ainvoke(task)

    return StructuredTool.from_function(
        do, ado, name=name, description=description, args_schema=TASK
    )


def stage_input(state: Mapping[str, Any]) -> str:
    """Return the input of a group: the previous answer, else the question with the handoff."""
    messages: Sequence[AnyMessage] = state["messages"]
    last = messages[-1]
    if isinstance(last, AIMessage):
        return last.text
    question = [each.text for each in messages if isinstance(each, HumanMessage)][-1:]
    if isinstance(last, ToolMessage) and isinstance(last.artifact, dict):
        told = last.artifact.get("payload") or {}
        note = told.get("summary") or told.get("reason")
        if isinstance(note, str):
            source = last.artifact["source"]
            question.append(f"[Context from previous agent ({source})]: {note}")
    return "\n\n".join(question)


def asked(task: str) -> dict[str, Any]:
    """Return the state of an agent for a task."""
    return {"messages": [HumanMessage(task)]}


def answered(state: Mapping[str, Any]) -> str:
    """Return the answer of an agent."""
    return state["messages"][-1].text


def begun(task: str) -> GroupState:
    """Return the state of a group for a task."""
    return {"task": task, "outputs": {}}


def joined(order: Sequence[str], state: GroupState) -> str:
    """Return the outputs of a group as one text; a single output stays unchanged."""
    outputs = state["outputs"]
    if len(order) == 1:
        return outputs[order[0]]
    return "\n\n".join(f"[{name}]: {outputs[name]}" for name in order)
