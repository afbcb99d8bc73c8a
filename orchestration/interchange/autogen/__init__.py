"""AutoGen components in JSON: teams and agents of `autogen-agentchat`, which are only imported."""

from __future__ import annotations

from orchestration.interchange.autogen.reading import KEY, read, recognises
from orchestration.interchange.formats import Format

__all__ = ["AUTOGEN"]

AUTOGEN = Format(
    key=KEY,
    title="AutoGen",
    summary="component JSON, import only",
    read=read,
    recognises=recognises,
)
