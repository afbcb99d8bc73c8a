"""What a tool is to a model: its name, when to use it, and the shape of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered to a model."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON Schema of the arguments."""
