"""One span of a trace, independent of OpenTelemetry's library."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Attribute = str | int | float | bool | tuple[str, ...]
Kind = Literal["internal", "client"]


@dataclass
class TraceSpan:
    """Span of one step. `error` is the reason of a failure, for `error.type`."""

    key: str
    """Identity within its trace."""
    parent: str | None
    name: str
    start: datetime
    kind: Kind = "internal"
    attributes: dict[str, Attribute] = field(default_factory=dict)
    error: str = ""
    end: datetime | None = None
    """Time of the end; None while it is built."""
