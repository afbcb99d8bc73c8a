"""Play recorded turns with an exported LangGraph project, and print the path as JSON.

Arguments: the folder of the project, and a file with the messages of a conversation.
"""

import asyncio
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

folder, recording = sys.argv[1:]
sys.path.insert(0, folder)

import agents  # noqa: E402
import tools  # noqa: E402
from function_tools import CheckedTool  # noqa: E402
from langchain_core.messages import HumanMessage, ToolMessage  # noqa: E402
from langgraph.types import Command  # noqa: E402
from stub_model import Script  # noqa: E402

RESULTS: dict[str, list[str]] = defaultdict(list)


def answering(name: str) -> Any:
    """Return a function that answers with the recorded results of a tool."""

    async def answer(**arguments: Any) -> str:
        return RESULTS[name].pop(0)

    return answer


def prepare() -> None:
    """Replace the functions of the tools, except of those that ask the user."""
    for each in vars(tools).values():
        if isinstance(each, CheckedTool) and "interrupt" not in each.function.__code__.co_names:
            each.function = answering(each.name)
    if "route" in sys.modules:
        sys.modules["route"].evaluate = lambda *arguments: False


async def play(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the path of each message."""
    prepare()
    script = Script()
    graph = agents.build(script.model)
    config = {"configurable": {"thread_id": "1"}}
    played: list[dict[str, Any]] = []
    waiting, seen, known = False, 0, 0
    for message in messages:
        for turn in message["turns"]:
            script.turns[turn["agent"]].append((turn["text"], turn["calls"]))
        for name, results in message["results"].items():
            RESULTS[name] += results
        state = {"messages": [HumanMessage(message["text"])], **message["state"]}
        sent = Command(resume=message["text"]) if waiting else state
        result = await graph.ainvoke(sent, config)
        waiting = "__interrupt__" in result
        added = result["messages"][known:]
        outcomes = [m.artifact for m in added if isinstance(m, ToolMessage) and m.artifact]
        played.append(
            {
                "agents": [agent for agent, _ in script.seen[seen:]],
                "handoffs": [f"{o['source']} > {o['handoff']}" for o in outcomes if o["handoff"]],
                "payloads": [o["payload"] for o in outcomes if o["handoff"]],
                "refused": [m.text for m in added if getattr(m, "status", "") == "error"],
                "waits": waiting,
                "stage": result.get("active_agent"),
                "unanswered": sorted(calls_of(result["messages"]) - answers_of(result["messages"])),
                "left": {agent: len(turns) for agent, turns in script.turns.items() if turns},
            }
        )
        seen, known = len(script.seen), len(result["messages"])
    return played


def calls_of(messages: list[Any]) -> set[str]:
    return {each["id"] for m in messages for each in getattr(m, "tool_calls", [])}


def answers_of(messages: list[Any]) -> set[str]:
    return {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}


path = asyncio.run(play(json.loads(Path(recording).read_text())))
sys.stdout.write(f"{json.dumps(path)}\n")
