"""The tool that asks the user (contract T-10)."""

from __future__ import annotations

from typing import Any

from orchestration.definition import Tool
from orchestration.messages import ToolCall, clean
from orchestration.tools.arguments import read_arguments

ASK_USER = "ask_user"

_QUESTION: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string", "description": "What to ask, in full."}},
    "required": ["question"],
}


def user_input_tool(name: str = ASK_USER) -> Tool:
    """The standard tool for asking the user, for a definition's tools."""
    text = "Ask the user for what you need to know, and wait for the answer."
    return Tool(name=name, kind="user_input", description=text, parameters=_QUESTION)


def question_of(call: ToolCall) -> str:
    """Return the question of a call: its `question`, or its whole text."""
    arguments = read_arguments(call)
    asked = arguments.get("question") if isinstance(arguments, dict) else None
    return clean(asked if isinstance(asked, str) and asked.strip() else call.arguments)
