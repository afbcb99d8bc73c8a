"""Tasks: one agent that does what it is told, and has others do parts of it (contract T-1 to T-12).

A `TaskHandler` is one conversation with one agent, whose tools are registered in code. A
`TaskSystem` holds the pipelines that its subtask tools may have run. A `Passthrough` answers raw
queries without a pipeline. All of them make a definition and drive the engine.
"""

from orchestration.library.tasks.handler import TaskHandler
from orchestration.library.tasks.passthrough import Passthrough
from orchestration.library.tasks.results import TaskResult, TaskStatus
from orchestration.library.tasks.system import TaskSystem

__all__ = ["Passthrough", "TaskHandler", "TaskResult", "TaskStatus", "TaskSystem"]
