"""What the runs of an owner's pipelines are connected to: rows, as values without Django."""

from __future__ import annotations

from designer.models import Connection as Row
from orchestration.connections import Connection


def connection_for(owner_id: int, name: str) -> Connection | None:
    """The connection that an owner has under a name; None: there is none."""
    row = Row.objects.filter(owner=owner_id, name=name).first()
    return row.value() if row is not None else None
