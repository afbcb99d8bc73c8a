"""Handlers: units that turn one input into a stream of outputs (rows H-1 to H-9)."""

from orchestration.exceptions import HandlerError
from orchestration.handler import Handler
from orchestration.tools.handler import ToolHandler

__all__ = ["Handler", "HandlerError", "ToolHandler"]
