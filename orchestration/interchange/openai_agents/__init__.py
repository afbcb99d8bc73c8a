"""OpenAI Agents SDK: a project in Python.

Every stage becomes an `Agent`, every transition a `Handoff` with the exact schema. The modules of
`runtime` are copied unchanged into the project.
"""

from __future__ import annotations

from orchestration.interchange.formats import Format
from orchestration.interchange.openai_agents.reading import KEY, read, recognises
from orchestration.interchange.openai_agents.support import SUPPORT, exceptions
from orchestration.interchange.openai_agents.writing import write, write_report

__all__ = ["AGENTS_SDK"]


AGENTS_SDK = Format(
    key=KEY,
    title="OpenAI Agents SDK",
    summary="Python code",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
    write_report=write_report,
    read=read,
    read_archive=read,
    recognises=recognises,
)
