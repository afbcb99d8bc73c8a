"""Programming interface: agents, swarms, groups and tasks in code."""

from orchestration.library.agent_handler import AgentHandler, SwarmMode
from orchestration.library.agent_set import Cast
from orchestration.library.agent_specs import AgentSpec, AnyAgent
from orchestration.library.group_handler import GroupHandler
from orchestration.library.swarm import Swarm, SwarmRun
from orchestration.library.tasks.handler import TaskHandler
from orchestration.library.tasks.passthrough import Passthrough
from orchestration.library.tasks.results import TaskResult, TaskStatus
from orchestration.library.tasks.system import TaskSystem

__all__ = [
    "AgentHandler",
    "AgentSpec",
    "AnyAgent",
    "Cast",
    "GroupHandler",
    "Passthrough",
    "Swarm",
    "SwarmMode",
    "SwarmRun",
    "TaskHandler",
    "TaskResult",
    "TaskStatus",
    "TaskSystem",
]
