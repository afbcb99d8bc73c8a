"""Conversations with calls that wait for approval."""

from __future__ import annotations

from typing import Any

from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live.providers import use_providers
from orchestration.definition import (
    PipelineDefinition,
    Tool,
    ToolExample,
)
from tests.designer.live_waits import message, until
from tests.designer.steering_commands import events, is_paused
from tests.orchestration.conversations import (
    PlayedModel,
    Turn,
    calling,
    four_stages,
)

AMOUNT = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}},
    "required": ["amount"],
}


PAY = Tool(
    name="pay", approval=True, parameters=AMOUNT, examples=(ToolExample(result="It is paid."),)
)


LOOK = Tool(name="look", examples=(ToolExample(result="There it is."),))


ONE: Turn = [calling("pay", call_id="c1", amount=7), calling("look", call_id="c2")]


def paying(**changes: Any) -> PipelineDefinition:
    """Return a pipeline with agents that may look, and pay after an approval."""
    tools = {"tools": ("look", "pay"), **changes}
    agents = [agent.model_copy(update=tools) for agent in four_stages().agents]
    return four_stages(tools=[PAY, LOOK], agents=agents)


async def ask_to_pay(conversation: Conversation, *turns: Turn) -> PlayedModel:
    """Send a message after which a call waits for a person."""
    model = PlayedModel(turns or (ONE, ["Done."]))
    use_providers({"default": model})
    await live.say(conversation.pk, message())
    await until(is_paused(conversation))
    return model


async def asked(conversation: Conversation) -> list[int]:
    return [event.seq for event in await events(conversation, "approval.requested")]
