"""Rules about tools and their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, describe_object, removing, setting
from orchestration.validation.issues import Issue, error, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import SCHEMA, one_transition, sketch


def tool_duplicate(draft: Draft) -> Iterator[Issue]:
    """Require unique names of tools."""
    seen: set[str] = set()
    for index, tool in draft.tools:
        if tool.name in seen:
            yield error(
                "tool-duplicate",
                f"More than one tool has the name {tool.name!r}: give each its own.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].name",
            )
        seen.add(tool.name)


def tool_schema_invalid(draft: Draft) -> Iterator[Issue]:
    """Require a JSON Schema of an object for the arguments of a tool.

    The tool checks its arguments itself, so the schema may be too complex for the engine.
    """
    for index, tool in draft.tools:
        fault = schema_fault(tool.parameters, checks=False)
        if fault is not None:
            yield error(
                "tool-schema-invalid",
                f"The schema of the arguments of the tool {tool.name!r} is wrong: {fault}",
                "tool",
                (tool.name,),
                f"$.tools[{index}].parameters",
            )


def tool_unknown(draft: Draft) -> Iterator[Issue]:
    """Require agents to have only tools of the pipeline."""
    known = draft.definition.tools_by_name
    for index, agent in draft.agents:
        for place, name in enumerate(agent.tools):
            if name not in known:
                yield error(
                    "tool-unknown",
                    f"The agent {draft.agent_label(agent.id)!r} has the tool {name!r},"
                    " which this pipeline does not define.",
                    "agent",
                    (agent.id,),
                    f"$.agents[{index}].tools[{place}]",
                )


def tool_name_clash(draft: Draft) -> Iterator[Issue]:
    """Require different names for an agent's tools and its handoff tools."""
    for index, agent in draft.agents:
        clashing = {
            name: phase
            for phase in (draft.phases_of.get(agent.id, ()) if agent.tools else ())
            for name, _ in draft.handoff_tools(phase)
            if name in agent.tools
        }
        for name, phase in clashing.items():
            yield error(
                "tool-name-clash",
                f"The agent {draft.agent_label(agent.id)!r} has the tool {name!r}, and a handoff"
                f" tool of the stage {phase!r} has the same name: rename one of them.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].tools[{agent.tools.index(name)}]",
            )


def handoff_name_clash(draft: Draft) -> Iterator[Issue]:
    """Require different names for the handoff tools of a stage."""
    clashing: dict[tuple[str, str | None], str] = {}
    for phase in _phases_with_tool_names(draft):
        taken: set[str] = set()
        for name, target in draft.handoff_tools(phase):
            if name in taken:
                clashing[phase, target] = name
            taken.add(name)
    for index, transition in draft.transitions if clashing else ():
        ends = (transition.source, transition.target)
        if ends in clashing:
            yield error(
                "handoff-name-clash",
                f"The handoff from {ends[0]!r} to {ends[1]!r} has the tool name {clashing[ends]!r},"
                " like another handoff from there: give it another name.",
                "transition",
                ends,
                f"$.transitions[{index}].tool_name",
            )


def _phases_with_tool_names(draft: Draft) -> set[str]:
    """Return the agent stages with a named handoff tool."""
    stages = draft.definition.stages_by_phase
    return {
        transition.source
        for _, transition in draft.transitions
        if transition.tool_name is not None
        and transition.input_schema is not None
        and (source := stages.get(transition.source)) is not None
        and source.kind == "agent"
        and source.agent_id is not None
    }


def subtask_unnamed(draft: Draft) -> Iterator[Issue]:
    """Require the name of a pipeline, or hints, for a subtask (contract T-9)."""
    for index, tool in draft.tools:
        is_unnamed = tool.pipeline is None and not tool.template_hints
        if tool.kind == "subtask" and is_unnamed and not tool.stand_in:
            yield error(
                "subtask-unnamed",
                f"The tool {tool.name!r} does not say which pipeline runs the subtask:"
                " choose one, or enter hints that find it.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].pipeline",
            )


def tool_setting_unused(draft: Draft) -> Iterator[Issue]:
    """Warn about pipelines on tools that are not subtasks."""
    for index, tool in draft.tools:
        if tool.kind == "subtask":
            continue
        settings = [name for name in ("pipeline", "template_hints") if getattr(tool, name)]
        if settings:
            yield warning(
                "tool-setting-unused",
                f"The tool {tool.name!r} has a pipeline, but is not a subtask:"
                " change its kind, or remove the pipeline.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].{settings[0]}",
            )


def _define_tool(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    *_, agent, _, place = path_steps(issue.where.path)
    name = definition.agents[int(agent)].tools[int(place)]
    return Fix("Define tool", (("append", "$.tools", {"name": name}),))


HELP: Mapping[str, RuleHelp] = {
    "tool-duplicate": RuleHelp(
        "Two tools with one name",
        "A model calls a tool by its name. Two tools with the same name cannot be distinguished.",
        "Give each tool its own name.",
        sketch("intake", tools=[{"name": "look_up"}, {"name": "look_up"}]),
    ),
    "tool-schema-invalid": RuleHelp(
        "An invalid schema of arguments",
        "This JSON Schema describes the arguments to the model. Vendors reject a wrong schema, and"
        " with it every turn that offers the tool.",
        "Correct the schema at the place in the message: it describes an object with the arguments"
        " as properties.",
        sketch(
            "intake",
            tools=[{"name": "refund", "parameters": {"properties": SCHEMA["properties"]}}],
        ),
        describe_object,
    ),
    "tool-unknown": RuleHelp(
        "A tool that is not defined",
        "The agent has a tool that this pipeline does not define: the model cannot know its purpose"
        " and its arguments.",
        "Define the tool, or remove it from the agent.",
        sketch("intake", agents={"agent-intake": {"tools": ["look_up"]}}),
        _define_tool,
        can_fix_all=True,
    ),
    "tool-name-clash": RuleHelp(
        "A tool with the name of a handoff tool",
        "The model would have two tools with the same name: its own, and the tool that hands over.",
        "Rename the tool, or rename the handoff tool in the pipeline's settings.",
        sketch(
            "intake > review",
            agents={"agent-intake": {"tools": ["handoff_conversation"]}},
            tools=[{"name": "handoff_conversation"}],
        ),
        removing("Remove the tool from the agent"),
    ),
    "handoff-name-clash": RuleHelp(
        "Two handoffs with one name",
        "Two handoffs from a stage have tools with the same name, so a call does not identify its"
        " target.",
        "Give one of them another tool name, or none: then the name comes from its target.",
        sketch(
            "intake > review, intake ~ reply",
            transitions=[
                *one_transition(input_schema=SCHEMA, tool_name="pass_on"),
                *one_transition("return", target="reply", input_schema=SCHEMA, tool_name="pass_on"),
            ],
        ),
        setting("Use the default name", None),
    ),
    "subtask-unnamed": RuleHelp(
        "A subtask without a pipeline",
        "Another pipeline runs a subtask. This tool has neither its name nor a hint.",
        "Choose the pipeline, or enter words that find it.",
        sketch("intake", tools=[{"name": "check", "kind": "subtask"}]),
    ),
    "tool-setting-unused": RuleHelp(
        "A pipeline for a tool that is not a subtask",
        "Only a subtask uses another pipeline; here the name is ignored.",
        "Make the tool a subtask, or remove the name.",
        sketch("intake", tools=[{"name": "check", "pipeline": "Checks"}]),
        removing("Remove it"),
    ),
}
"""Help of the rules, by the code of the issue."""
