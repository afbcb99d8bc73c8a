"""Building a definition from a document of another format, with its losses.

A reader adds the parts that it finds. A part that cannot be read becomes a loss with its path in
the document; the import is refused only without any agent.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from orchestration.definition import (
    HUMAN,
    KEY_PATTERN,
    MAX_TEXT,
    TOOL_NAME_PATTERN,
    PipelineDefinition,
)
from orchestration.exceptions import DefinitionError, Fault
from orchestration.handoff import key_of, snake_case
from orchestration.interchange.results import UNNAMED, Import, Loss
from orchestration.loading import MAX_FAULTS, fault_from

MAX_NAME: Final = 120
MAX_LINE: Final = 500
MAX_SHOWN: Final = 60
"""Length of a foreign text in a message."""


class Reading:
    """Parts of a definition while a document is read."""

    def __init__(self, format_key: str) -> None:
        self.format = format_key
        self.rows: list[Loss] = []
        self.fields: dict[str, Any] = {"agents": [], "stages": [], "transitions": [], "tools": []}
        self._native: dict[str, list[str]] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._claimed: set[tuple[str, str]] = set()
        self._keys: dict[str, set[str]] = {"agent": {HUMAN}, "stage": set(), "tool": set()}

    def keep(self, part: str, place: str) -> None:
        """Report a part that is read without a change."""
        self._native.setdefault(part, []).append(place)

    def lose(self, part: str, path: str, description: str, consequence: str) -> None:
        """Report a part that is not read, with its path in the document (`$.agents[2].hooks`)."""
        self.rows.append(Loss(part, (path,), "lost", description, consequence, differs=True))

    def key(self, kind: str, name: str) -> str:
        """Return a new key of an agent or stage for a foreign name."""
        return self._distinct(kind, key_of(name, kind), "-")

    def claim(self, kind: str, key: object) -> bool:
        """Reserve a key that an export of Baton named; False if it is taken or no valid key."""
        pattern = TOOL_NAME_PATTERN if kind == "tool" else KEY_PATTERN
        if not isinstance(key, str) or not re.fullmatch(pattern, key):
            return False
        if (kind, key) in self._claimed or (key != HUMAN and key in self._keys[kind]):
            return False
        self._claimed.add((kind, key))
        self._keys[kind].add(key)
        return True

    def tool_name(self, name: str, path: str) -> str:
        """Return a new tool name for a foreign name; a changed name is a loss."""
        base = name if re.fullmatch(TOOL_NAME_PATTERN, name) else snake_case(name)[:60] or "tool"
        base = base if re.fullmatch(TOOL_NAME_PATTERN, base) else f"tool_{base}"[:60]
        found = self._distinct("tool", base, "_")
        if found != name:
            self._changed("Tool", path, f"now named {found}", "Its old name is not kept.")
        return found

    def text(self, value: object, path: str, limit: int = MAX_TEXT) -> str:
        """Return a text of the document within the limit; the rest is a loss."""
        if value is None:
            return ""
        if not isinstance(value, str):
            self._changed("Text", path, "left out", "It is not a text.")
            return ""
        if len(value) > limit:
            self._changed(
                "Text", path, f"cut to {limit:,} characters", "The rest of the text is missing."
            )
        return value[:limit]

    def name(self, value: object, path: str, default: str) -> str:
        """Return a name of at most 120 characters."""
        return self.text(value, path, MAX_NAME) or default

    def line(self, value: object, path: str) -> str:
        """Return a description of at most 500 characters."""
        return self.text(value, path, MAX_LINE)

    def finish(self, name: str, *, allow_empty: bool = False, **fields: Any) -> Import:
        """Return the import, or raise `DefinitionError` without any agent or beyond a limit.

        `allow_empty` is for exports of Baton, which may be drafts without agents. Without
        `allow_human` the agents hand over only to agents of the document.
        """
        if not self.fields["agents"] and not allow_empty:
            raise DefinitionError([Fault("$", "This document contains no agent to import.")])
        try:
            definition = PipelineDefinition.model_validate(
                {"name": name[:MAX_NAME] or UNNAMED, "allow_human": False} | self.fields | fields
            )
        except ValidationError as error:
            details = error.errors(include_url=False)[:MAX_FAULTS]
            raise DefinitionError([fault_from(each) for each in details]) from None
        kept = [Loss(part, tuple(places), "native") for part, places in self._native.items()]
        return Import(self.format, definition, (*kept, *self.rows))

    def _distinct(self, kind: str, base: str, joint: str) -> str:
        """Return a new key; the numbers go on, so that many equal names take little time."""
        key, start = base, base[:55]
        while key in self._keys[kind]:
            number = self._numbers[kind, start] = self._numbers.get((kind, start), 1) + 1
            key = f"{start}{joint}{number}"
        self._keys[kind].add(key)
        return key

    def _changed(self, part: str, path: str, description: str, consequence: str) -> None:
        self.rows.append(Loss(part, (path,), "comment", description, consequence, differs=True))


def shown(value: object) -> str:
    """Return a foreign value for a message, on one line and shortened."""
    text = " ".join(str(value).split())
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def is_key(text: object) -> bool:
    """Report whether a value is a valid key."""
    return isinstance(text, str) and re.fullmatch(KEY_PATTERN, text) is not None
