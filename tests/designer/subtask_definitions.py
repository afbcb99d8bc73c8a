"""Pipelines with subtasks for tests."""

from designer.models import Membership, Pipeline
from orchestration.definition import Agent, PipelineDefinition, Stage, Tool


def asking(name: str, *tools: Tool, **changes) -> PipelineDefinition:
    """A pipeline of one agent, who has these tools."""
    agent = Agent(id="one", name="One", tools=tuple(tool.name for tool in tools))
    stage = Stage(phase="only", agent_id="one")
    return PipelineDefinition(
        name=name, agents=(agent,), stages=(stage,), tools=tools, entry="only", **changes
    )


def running(pipeline: str | None, *hints: str, name: str = "have_it_done") -> Tool:
    return Tool(name=name, kind="subtask", pipeline=pipeline, template_hints=hints)


def share(pipeline: Pipeline, user, role: str = "editor") -> None:
    Membership.objects.create(pipeline=pipeline, user=user, role=role)
