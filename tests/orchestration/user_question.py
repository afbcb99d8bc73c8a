"""An agent that asks the user a question."""

from __future__ import annotations

from orchestration.definition import Tool
from orchestration.events import InputRequested
from orchestration.providers.provider import ModelRequest
from orchestration.tools import ASK_USER, user_input_tool
from tests.orchestration.conversations import Turn, calling, with_tools

ASKING = with_tools(user_input_tool(), Tool(name="look"))


def asks_once(request: ModelRequest) -> Turn:
    """Ask for the number of the order, then repeat the answer."""
    last = request.messages[-1]
    if last.role == "tool":
        return (f"You said {last.text}.",)
    return (calling(ASK_USER, call_id="c1", question="Which order?"),)


async def later(asked: InputRequested) -> None:
    """Leave the answer to the next message."""
