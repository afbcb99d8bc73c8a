"""Names to insert into an agent's instructions: stages, tools and variables."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.definition import PipelineDefinition, Stage


@dataclass(frozen=True, slots=True)
class PromptName:
    """A name that completes what is typed after its trigger."""

    trigger: str
    """Text that opens the list, such as `@`."""
    name: str
    kind: str
    insert: str
    """Inserted text, in place of the trigger and the typed part of the name."""
    description: str = ""


def prompt_names(definition: PipelineDefinition) -> list[PromptName]:
    """Return the stages, the tools and the variables of a pipeline."""
    stages = [
        PromptName("@", stage.phase, "stage", stage.phase, _answers_at(definition, stage))
        for stage in definition.stages
    ]
    tools = [
        PromptName("@", tool.name, "tool", tool.name, tool.description) for tool in definition.tools
    ]
    variables = [
        PromptName(trigger, name, "variable", f"{{{{{name}}}}}", default)
        for trigger in ("@", "{{")
        for name, default in definition.variables.items()
    ]
    return [*stages, *tools, *variables]


def _answers_at(definition: PipelineDefinition, stage: Stage) -> str:
    if stage.kind == "human":
        return "Human"
    agents = definition.agents_by_id
    return ", ".join(agents[key].name for key in stage.agent_ids if key in agents)
