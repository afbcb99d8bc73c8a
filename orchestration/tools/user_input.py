"""The tool for questions to the user (contract T-10)."""

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
    """Create the standard tool for questions to the user."""
    text = "Ask the user for what you need to know, and wait for the answer."
    return Tool(name=name, kind="user_input", description=text, parameters=_QUESTION)


def question_of(call: ToolCall) -> str:
    """Return the question of a call: its `question`, or the text of its arguments."""
    arguments = read_arguments(call)
    question = arguments.get("question") if isinstance(arguments, dict) else None
    return clean(question if isinstance(question, str) and question.strip() else call.arguments)
