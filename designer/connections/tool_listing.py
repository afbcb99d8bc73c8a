"""List of tools for import; the page submits it and shows it again after an error."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from orchestration.definition import Tool
from orchestration.exceptions import DefinitionError
from orchestration.loading import TOOL_LIST, read_json


class OfferedTool(BaseModel, frozen=True):
    """A tool for import."""

    tool: Tool
    about: str
    """Called operation: `GET /orders/{order}`."""

    @property
    def as_json(self) -> str:
        """The tool as submitted by its checkbox."""
        return self.tool.model_dump_json(exclude_defaults=True)


class Listing(BaseModel, frozen=True):
    """Tools of a document or a server."""

    title: str = ""
    offered: tuple[OfferedTool, ...] = ()
    left_out: tuple[str, ...] = ()
    needs_key: bool = False

    @property
    def as_json(self) -> str:
        """The list as submitted by the form; empty if it is too long and must be loaded again."""
        text = self.model_dump_json(exclude_defaults=True)
        return text if len(text.encode()) <= TOOL_LIST.max_bytes else ""

    @classmethod
    def parse(cls, text: str) -> Listing | None:
        """Parse a submitted list; None if it is missing or invalid."""
        try:
            return cls.model_validate(read_json(text, TOOL_LIST))
        except (DefinitionError, ValueError):
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
