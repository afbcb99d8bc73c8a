"""Handlers: units that turn one input into a stream of outputs (rows H-1 to H-9)."""

from orchestration.exceptions import HandlerError
from orchestration.handler import Handler
from orchestration.handlers.agents import AgentHandler, SwarmMode
from orchestration.handlers.groups import GroupHandler
from orchestration.tools.handler import ToolHandler

__all__ = [
    "AgentHandler",
    "GroupHandler",
    "Handler",
    "HandlerError",
    "SwarmMode",
    "ToolHandler",
]
