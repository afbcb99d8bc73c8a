"""Oracle Agent Spec: `Swarm`, `ManagerWorkers`, `Flow` and `Agent` documents in JSON and YAML."""

from orchestration.interchange.agent_spec.support import AGENT_SPEC

__all__ = ["AGENT_SPEC"]
