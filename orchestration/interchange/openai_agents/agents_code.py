"""Module `agents.py` of a project for the OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestration.definition import (
    Agent,
    McpCall,
    PipelineDefinition,
    Stage,
    Tool,
    variable_references,
)
from orchestration.interchange.openai_agents.handoffs_code import handoff_sections
from orchestration.interchange.openai_agents.plan import ProjectPlan
from orchestration.interchange.openai_agents.run_code import run_sections
from orchestration.interchange.project import environment_name, module, uses_routing
from orchestration.interchange.python_code import Call, Code, assignment, comment

_DOCSTRING = '"""Agents of the pipeline. Run `python agents.py` to chat."""'


def agents_module(plan: ProjectPlan) -> str:
    """Return the module: tools, agents, handoffs, tables of the stages, and `run`."""
    definition = plan.definition
    body = [
        "\n".join(_tables(definition)),
        *_tools(plan),
        *_agents(plan),
        *handoff_sections(plan),
        *_lookup(plan),
    ]
    rest = run_sections(plan)
    source = module(*body, *rest)
    return module(f"{_DOCSTRING}\n\n{_imports(plan)}", source)


def _imports(plan: ProjectPlan) -> str:
    """Return the imports that the module needs. No text of the definition decides about them."""
    agents = plan.definition.agents_by_id.values()
    optional = {"groups": plan.has_groups, "handoff_filters": plan.has_own_filters}
    own = [name for name, is_used in optional.items() if is_used] + ["runtime"]
    own += ["tools"] if plan.has_functions else []
    lines = [f"import {each}" for each in own]
    if uses_routing(plan.definition):
        lines.append("from route import IncomingMessage, State, route")
    names = {
        "Agent": bool(plan.stages or plan.agents),
        "FunctionTool": plan.has_functions,
        "Handoff": plan.hands_over and any(plan.handoffs(phase) for phase in plan.stages),
        "ModelSettings": any(map(_settings, agents)),
        "Runner": plan.definition.topology != "workflow",
    }
    used = [name for name, is_used in names.items() if is_used]
    sdk = [f"from agents import {', '.join(used)}"] if used else []
    if "no_tools" in plan.filters:
        sdk.append("from agents.extensions.handoff_filters import remove_all_tools")
    if any(each.reasoning_effort for each in agents):
        sdk.append("from openai.types.shared import Reasoning")
    blocks = ["import asyncio", "\n".join(lines)]
    if sdk:  # after the module that finds the SDK
        blocks.append("\n".join(["# isort: off", *sdk]))
    return "\n\n".join(blocks)


def _tables(definition: PipelineDefinition) -> Iterator[str]:
    about: dict[str, Any] = {
        "name": definition.name,
        "description": definition.description,
        "topology": definition.topology,
    }
    if not definition.allow_human:
        about["allow_human"] = False
    yield assignment("PIPELINE", about)
    yield assignment("ENTRY", definition.entry)
    yield assignment("MAX_TURNS", definition.limits.max_turns)
    if definition.topology in ("pipeline", "swarm"):
        yield assignment("MAX_HANDOFFS", definition.limits.max_handoffs)
    if definition.variables:
        yield assignment("VARIABLES", definition.variables)


def _tools(plan: ProjectPlan) -> Iterator[str]:
    for tool in plan.definition.tools_by_name.values():
        if tool.kind != "mcp":
            names = plan.tools[tool.name]
            yield assignment(names.tool, _function_tool(tool, names.function))


def _function_tool(tool: Tool, function: str) -> Call:
    options: dict[str, Any] = {}
    if tool.kind != "function":
        options["kind"] = tool.kind
    if tool.time_limit is not None:
        options["time_limit"] = tool.time_limit
    if tool.max_answer is not None:
        options["max_answer"] = tool.max_answer
    if tool.idempotent:
        options["attempts"] = 3
    fields: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "params_json_schema": tool.parameters,
        "on_invoke_tool": Call("runtime.invoker", [Code(f"tools.{function}")], options),
        "strict_json_schema": False,
    }
    if tool.approval:
        fields["needs_approval"] = True
    return Call("FunctionTool", (), fields)


def _agents(plan: ProjectPlan) -> Iterator[str]:
    for stage in plan.definition.stages_by_phase.values():
        variable = plan.stages[stage.phase]
        match stage.kind:
            case "human":
                yield assignment(variable, _person(stage))
            case "group":
                for name in stage.agent_ids:
                    if member := plan.members.get((stage.phase, name)):
                        yield assignment(member, _agent(plan, name, member, f"({stage.phase})"))
                yield assignment(variable, _group(plan, stage))
            case _ if (agent_id := plan.agent_of(stage)) is not None:
                yield assignment(variable, _agent(plan, agent_id, variable, stage=stage))
            case _:
                note = comment(f"No agent serves the stage {stage.phase} yet.")
                yield f"{note}\n{assignment(variable, Call('Agent', (), _described(stage)))}"
    entry = plan.definition.stages_by_phase.get(plan.definition.entry or "")
    for agent_id, variable in plan.unplaced.items():
        calls_person = agent_id in plan.guests and entry is not None and plan.calls_person(entry)
        call = _agent(plan, agent_id, variable, calls_person=calls_person)
        yield assignment(variable, call)


def _described(stage: Stage) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": stage.phase}
    if stage.description:
        fields["handoff_description"] = stage.description
    return fields


def _person(stage: Stage) -> Call:
    fields = {"instructions": Code("runtime.PERSON"), "tools": [Code("runtime.ask_person")]}
    return Call("Agent", (), _described(stage) | fields)


def _group(plan: ProjectPlan, stage: Stage) -> Call:
    members = {
        name: Code(plan.members[stage.phase, name])
        for name in stage.agent_ids
        if (stage.phase, name) in plan.members
    }
    options: dict[str, Any] = {}
    group = stage.group
    if group is not None and not group.parallel:
        options["parallel"] = False
    if group is not None and group.dependencies:
        options["dependencies"] = group.dependencies
    target = plan.following.get(stage.phase)
    for transition, tool in plan.handoffs(stage.phase) if plan.hands_over else ():
        if transition.target == target:
            options["following"] = tool
    fields = {"model": Call("groups.GroupModel", [members], options)}
    return Call("Agent", (), _described(stage) | fields)


def _agent(
    plan: ProjectPlan,
    agent_id: str,
    variable: str,
    suffix: str = "",
    stage: Stage | None = None,
    *,
    calls_person: bool = False,
) -> Call:
    """Return the agent of a variable: an `Agent`, or a clone if another variable has it."""
    agent = plan.definition.agents_by_id[agent_id]
    tools = [
        Code(plan.tools[each.name].tool)
        for each in plan.own_tools(agent_id, stage.phase if stage else None)
        if each.kind != "mcp"
    ]
    if calls_person or (stage is not None and plan.calls_person(stage)):
        tools.append(Code("runtime.transfer_to_human"))
    description = stage.description if stage else ""
    base = plan.agents[agent_id]
    if base == variable:
        fields: dict[str, Any] = {"name": agent.name}
        if description:
            fields["handoff_description"] = description
        fields |= _fields(plan, agent)
        if tools:
            fields["tools"] = tools
        if servers := list(_servers(plan, agent_id)):
            fields["mcp_servers"] = servers
        return Call("Agent", (), fields)
    suffix = suffix or f"({stage.phase if stage else agent_id})"
    changes = {
        "name": f"{agent.name} {suffix}",
        "handoff_description": description or None,
        "tools": tools,
    }
    return Call(f"{base}.clone", (), changes)


def _fields(plan: ProjectPlan, agent: Agent) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    text: object = agent.instructions
    if agent.language.strip():
        text = Call("runtime.in_language", [text, agent.language])
    if plan.definition.variables and variable_references(agent.instructions):
        text = Call("runtime.filled", [text, Code("VARIABLES")])
    if text:
        fields["instructions"] = text
    if agent.model:
        fields["model"] = agent.model
    if settings := _settings(agent):
        fields["model_settings"] = Call("ModelSettings", (), settings)
    if agent.response_schema is not None:
        fields["output_type"] = Call("runtime.JsonAnswer", [agent.response_schema])
    return fields


def _settings(agent: Agent) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "temperature": agent.temperature,
        "max_tokens": agent.max_output_tokens,
        "tool_choice": agent.tool_choice if agent.tool_choice != "auto" else None,
    }
    if agent.reasoning_effort:
        settings["reasoning"] = Call("Reasoning", (), {"effort": agent.reasoning_effort})
    return {name: value for name, value in settings.items() if value is not None}


def _servers(plan: ProjectPlan, agent_id: str) -> Iterator[Call]:
    """Yield the MCP servers of an agent, one for each connection."""
    by_connection: dict[str, list[Tool]] = {}
    for tool in plan.own_tools(agent_id):
        if tool.kind == "mcp":
            call = tool.mcp or McpCall(connection="mcp")
            by_connection.setdefault(call.connection, []).append(tool)
    for connection, tools in by_connection.items():
        names = {each.name: (each.mcp.tool if each.mcp else "") or each.name for each in tools}
        approved = [each.name for each in tools if each.approval]
        options = {"approval": approved} if approved else {}
        yield Call("runtime.McpServer", [environment_name(connection), names], options)


def _lookup(plan: ProjectPlan) -> Iterator[str]:
    stages = {phase: Code(variable) for phase, variable in plan.stages.items()}
    agents = {agent_id: Code(variable) for agent_id, variable in plan.agents.items()}
    yield f"{assignment('STAGES', stages)}\n{assignment('AGENTS', agents)}"
    if not plan.hands_over or plan.following:
        yield assignment("NEXT", plan.following)
