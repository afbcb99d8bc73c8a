"""Conversation in a terminal: `python chat.py`."""

from __future__ import annotations

import asyncio
import json

from langchain_core.messages import HumanMessage
from langgraph.types import Command

from agents import build


async def main() -> None:
    """Read messages until an empty line; answer interrupts with JSON or with a text."""
    graph = build()
    config = {"configurable": {"thread_id": "terminal"}}
    shown = 0
    waiting = False
    while text := await asyncio.to_thread(read_line, "> "):
        turn = Command(resume=answer(text)) if waiting else {"messages": [HumanMessage(text)]}
        result = await graph.ainvoke(turn, config)
        for message in result["messages"][shown:]:
            if message.type == "ai" and message.text:
                print(f"{message.name}: {message.text}")
        shown = len(result["messages"])
        waiting = bool(result.get("__interrupt__"))
        for each in result.get("__interrupt__", ()):
            print(json.dumps(each.value, ensure_ascii=False, indent=2))


def read_line(prompt: str) -> str:
    """Return a line of the terminal; empty at the end of the input."""
    try:
        return input(prompt)
    except EOFError:
        return ""


def answer(text: str) -> object:
    """Return the answer to an interrupt: a JSON value, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    asyncio.run(main())
