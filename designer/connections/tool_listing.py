"""The tools that a page offers to take, as it sends them along: a refusal keeps the list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from orchestration.definition import Tool

MOST_BYTES = 1024 * 1024
"""A list that is longer is not sent along: it has to be made anew."""


class OfferedTool(BaseModel, frozen=True):
    """A tool that may be taken."""

    tool: Tool
    about: str
    """Called operation: `GET /orders/{order}`."""

    @property
    def as_json(self) -> str:
        """The tool, as it is sent when it is picked."""
        return self.tool.model_dump_json(exclude_defaults=True)


class Listing(BaseModel, frozen=True):
    """Tools of a document or a server."""

    title: str = ""
    offered: tuple[OfferedTool, ...] = ()
    left_out: tuple[str, ...] = ()
    needs_key: bool = False

    @property
    def as_json(self) -> str:
        """The list as its form sends it along; "" where it is too long for that."""
        text = self.model_dump_json(exclude_defaults=True)
        return text if len(text.encode()) <= MOST_BYTES else ""

    @classmethod
    def parse(cls, text: str) -> Listing | None:
        """The list that a form sent along; None, where there is none or it cannot be read."""
        if not text or len(text.encode(errors="replace")) > MOST_BYTES:
            return None
        try:
            return cls.model_validate_json(text)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class ToolSelection:
    """Selected tools of a list as submitted, and the ids of agents."""

    tools: Collection[str] = ()
    agents: Collection[str] = ()

    @classmethod
    def of(cls, tools: Sequence[str], agents: Sequence[str]) -> ToolSelection:
        """Return the selection that a form submitted."""
        return cls(frozenset(tools), frozenset(agents))
