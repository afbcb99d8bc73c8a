"""State of the page that sends a request, as submitted with every request."""

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
    """A beginning for ids that no other form on the page has."""
    return f"i{secrets.token_hex(4)}"


def token_of(text: str) -> str:
    """The token that `text` is; a new one, where it is none."""
    return text if _TOKEN.fullmatch(text) else new_token()


def number(text: str) -> int | None:
    """The number that `text` writes in at most nine digits: no count on the page is longer."""
    return int(text) if _NUMBER.fullmatch(text) else None


@dataclass(frozen=True)
class Selection:
    """Selected part in the inspector. In an address: `stage:review`, `transition:intake>review`."""

    kind: Kind = "pipeline"
    key: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The selection that `text` names; the pipeline, where it names none."""
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
    """Begins the ids of the inspector's fields, so that an answer never meets another form."""

    @classmethod
    def parse(cls, sent: Mapping[str, str]) -> Self:
        """Read it from a query or a form; what is missing or wrong becomes what is usual."""
        tab, panel, version = sent.get("tab"), sent.get("panel"), sent.get("version", "")
        typing = sent.get("typing")
        return cls(
            selection=Selection.parse(sent.get("select", "")),
            tab=tab if tab in get_args(Tab) else "stage",  # type: ignore[arg-type]
            panel=panel if panel in get_args(Panel) else "problems",  # type: ignore[arg-type]
            version=number(version),
            is_supervised=bool(sent.get("supervised")),
            typing=typing if typing in get_args(Typing) else "",  # type: ignore[arg-type]
            base=sent.get("base", ""),
            token=token_of(sent.get("token", "")),
        )

    def selecting(self, kind: Kind, key: str) -> Self:
        """The same page with something else selected."""
        tab = self.tab if kind == self.selection.kind else "stage"
        selection = Selection(kind, key)
        return replace(self, selection=selection, tab=tab, token=new_token(), typing="", base="")
