"""docker-agent: agents with `handoffs`, or `sub_agents` for a team, in one YAML file.

Every stage becomes an agent, the entry becomes `root`. The file follows the published
`agent-schema.json`.
"""

from __future__ import annotations

from orchestration.interchange.docker_agent.reading import KEY, read, recognises
from orchestration.interchange.docker_agent.support import SUPPORT, exceptions
from orchestration.interchange.docker_agent.writing import write
from orchestration.interchange.formats import Format

__all__ = ["DOCKER_AGENT"]

DOCKER_AGENT = Format(
    key=KEY,
    title="docker-agent",
    summary="YAML for docker-agent",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
    read=read,
    recognises=recognises,
)
