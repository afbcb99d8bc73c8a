"""Handoffs and delegation in the module `agents.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestration.definition import InputFilter, PipelineDefinition, Transition
from orchestration.interchange.openai_agents.plan import ProjectPlan
from orchestration.interchange.python_code import Call, Code, assignment


def handoff_sections(plan: ProjectPlan) -> Iterator[str]:
    """Yield the handoffs of each stage, or the agents as tools of a team's lead.

    An agent without a stage that a rule selects answers in the entry stage.
    """
    for phase, variable in plan.stages.items():
        handoffs = plan.handoffs(phase)
        if not handoffs:
            continue
        if plan.hands_over:
            calls = [_handoff(plan, each, tool) for each, tool in handoffs]
            yield assignment(f"{variable}.handoffs", calls)
        else:
            workers: list[object] = [_worker(plan, each, tool) for each, tool in handoffs]
            yield assignment(f"{variable}.tools", [Code(f"*{variable}.tools"), *workers])
    entry = plan.stages.get(plan.definition.entry or "")
    for name in plan.guests:
        yield assignment(f"{plan.unplaced[name]}.handoffs", Code(f"{entry}.handoffs"))


def transfer_description(definition: PipelineDefinition, phase: str) -> str:
    """Return the description of a handoff without a description of its own."""
    return f"Transfer the conversation to {_name(definition, phase)}."


def task_description(definition: PipelineDefinition, phase: str) -> str:
    """Return the beginning of the description of a tool that delegates."""
    return f"Have {_name(definition, phase)} do a task, and get the answer."


def _name(definition: PipelineDefinition, phase: str) -> str:
    stage = definition.stages_by_phase[phase]
    agent = definition.agents_by_id.get(stage.agent_id or "") if stage.kind == "agent" else None
    return agent.name if agent is not None else phase


def _handoff(plan: ProjectPlan, transition: Transition, tool: str) -> Call:
    target = plan.stages[transition.target]
    definition = plan.definition
    schema: object = transition.input_schema
    if schema is None:
        schema = Code("runtime.MESSAGE" if definition.topology == "swarm" else "runtime.NOTE")
    fields: dict[str, Any] = {
        "tool_name": tool,
        "tool_description": transition.description
        or transfer_description(definition, transition.target),
        "input_json_schema": schema,
        "on_invoke_handoff": Call("runtime.to", [Code(target)]),
        "agent_name": Code(f"{target}.name"),
    }
    if (chosen := _filter(transition.input_filter)) is not None:
        fields["input_filter"] = chosen
    fields["strict_json_schema"] = False
    return Call("Handoff", (), fields)


def _filter(declared: InputFilter) -> Code | Call | None:
    match declared.keep:
        case "full":
            return None
        case "no_tools":
            return Code("remove_all_tools")
        case "last":
            return Call("handoff_filters.last_messages", [declared.count])
        case "summary":
            return Code("handoff_filters.question_and_handoff")
        case "matching":
            return Call("handoff_filters.matching", [declared.expression or ""])


def _worker(plan: ProjectPlan, transition: Transition, tool: str) -> Call:
    text = task_description(plan.definition, transition.target)
    if transition.description:
        text = f"{text} {transition.description}"
    fields = {"tool_name": tool, "tool_description": text}
    return Call(f"{plan.stages[transition.target]}.as_tool", (), fields)
