"""Tasks: conversations with one agent that can delegate subtasks (contract T-1 to T-12).

A `TaskHandler` is one conversation with one agent, with tools registered in code. A `TaskSystem`
contains the pipelines for subtask tools. A `Passthrough` answers raw queries without a pipeline.
All of them create a definition and run the engine.
"""

from orchestration.library.tasks.handler import TaskHandler
from orchestration.library.tasks.passthrough import Passthrough
from orchestration.library.tasks.results import TaskResult, TaskStatus
from orchestration.library.tasks.system import TaskSystem

__all__ = ["Passthrough", "TaskHandler", "TaskResult", "TaskStatus", "TaskSystem"]
