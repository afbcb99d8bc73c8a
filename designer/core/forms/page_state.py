"""State of the page, submitted with every request."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self, get_args

Kind = Literal["pipeline", "stage", "transition", "agent", "tool", "note", "frame"]
Tab = Literal["stage", "agent", "handoffs"]
Panel = Literal["problems", "outline", "rules", "definition", "find"]
Typing = Literal["", "field", "typed", "gone"]
"""Use of the inspector's form: none, focus in a saved field, unsaved text, or text about a deleted
part whose deletion is known.
"""

_TOKEN = re.compile(r"i[0-9a-f]{8}")
_NUMBER = re.compile(r"[0-9]{1,9}")


def new_token() -> str:
    """Return a new unique prefix for the ids of a form's fields."""
    return f"i{secrets.token_hex(4)}"


def token_of(text: str) -> str:
    """Return a valid token unchanged, otherwise a new one."""
    return text if _TOKEN.fullmatch(text) else new_token()


def number(text: str) -> int | None:
    """Parse a number of at most nine digits; None if it is not one."""
    return int(text) if _NUMBER.fullmatch(text) else None


@dataclass(frozen=True)
class Selection:
    """Selected part in the inspector. In an address: `stage:review`, `transition:intake>review`."""

    kind: Kind = "pipeline"
    key: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a selection; an invalid one selects the pipeline."""
        kind, _, key = text.partition(":")
        if kind not in get_args(Kind) or not 0 < len(key) <= 130 or "\x00" in key:
            return cls()
        return cls(kind, key)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.kind}:{self.key}" if self.key else self.kind


@dataclass(frozen=True)
class PageState:
    """Selection, open tabs and version of the page."""

    selection: Selection = field(default_factory=Selection)
    tab: Tab = "stage"
    panel: Panel = "problems"
    version: int | None = None
    is_supervised: bool = False
    """True if the canvas shows a supervisor's card."""
    typing: Typing = ""
    base: str = ""
    """Digest of the values that the inspector's form was rendered with."""
    token: str = field(default_factory=new_token)
    """Prefix of the ids of the inspector's fields: a response never changes a later form."""

    @classmethod
    def parse(cls, data: Mapping[str, str]) -> Self:
        """Parse a query or a form; missing and invalid values get their defaults."""
        tab, panel, version = data.get("tab"), data.get("panel"), data.get("version", "")
        typing = data.get("typing")
        return cls(
            selection=Selection.parse(data.get("select", "")),
            tab=tab if tab in get_args(Tab) else "stage",  # type: ignore[arg-type]
            panel=panel if panel in get_args(Panel) else "problems",  # type: ignore[arg-type]
            version=number(version),
            is_supervised=bool(data.get("supervised")),
            typing=typing if typing in get_args(Typing) else "",  # type: ignore[arg-type]
            base=data.get("base", ""),
            token=token_of(data.get("token", "")),
        )

    def selecting(self, kind: Kind, key: str) -> Self:
        """Return the same page with another selection."""
        tab = self.tab if kind == self.selection.kind else "stage"
        selection = Selection(kind, key)
        return replace(self, selection=selection, tab=tab, token=new_token(), typing="", base="")
