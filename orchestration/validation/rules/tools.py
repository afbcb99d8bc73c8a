"""Rules about tools, and about the names by which models know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, describe_object, removing, setting
from orchestration.validation.issues import Issue, error, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import SCHEMA, one_transition, sketch


def tool_duplicate(draft: Draft) -> Iterator[Issue]:
    """A name belongs to one tool."""
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
    """The arguments of a tool are described by a JSON Schema of an object.

    They are checked by who answers the tool, so that it may be more than is safe to check by here.
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
    """Agents have tools that the pipeline defines."""
    known = draft.definition.tools_by_name
    for index, agent in draft.agents:
        for place, name in enumerate(agent.tools):
            if name not in known:
                yield error(
                    "tool-unknown",
                    f"The agent {draft.called(agent.id)!r} has the tool {name!r},"
                    " which this pipeline does not define.",
                    "agent",
                    (agent.id,),
                    f"$.agents[{index}].tools[{place}]",
                )


def tool_name_clash(draft: Draft) -> Iterator[Issue]:
    """No tool by which an agent hands over or delegates goes by the name of one of its own."""
    for index, agent in draft.agents:
        clashing = {
            name: phase
            for phase in (draft.phases_of.get(agent.id, ()) if agent.tools else ())
            for name, _ in draft.passing_tools(phase)
            if name in agent.tools
        }
        for name, phase in clashing.items():
            yield error(
                "tool-name-clash",
                f"The agent {draft.called(agent.id)!r} has the tool {name!r}, and by that name it"
                f" passes on from the stage {phase!r} too: rename one of them.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].tools[{agent.tools.index(name)}]",
            )


def handoff_name_clash(draft: Draft) -> Iterator[Issue]:
    """No two handoffs from a stage are called the same."""
    clashing: dict[tuple[str, str | None], str] = {}
    for phase in _naming_handoffs(draft):
        taken: set[str] = set()
        for name, target in draft.passing_tools(phase):
            if name in taken:
                clashing[phase, target] = name
            taken.add(name)
    for index, transition in draft.transitions if clashing else ():
        ends = (transition.source, transition.target)
        if ends in clashing:
            yield error(
                "handoff-name-clash",
                f"The handoff from {ends[0]!r} to {ends[1]!r} is called {clashing[ends]!r}, and so"
                " is another from there: give it a name of its own.",
                "transition",
                ends,
                f"$.transitions[{index}].tool_name",
            )


def _naming_handoffs(draft: Draft) -> set[str]:
    """The stages of agents that name a handoff themselves."""
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
    """A subtask says which pipeline answers it, by name or by hints (contract T-9)."""
    for index, tool in draft.tools:
        is_unnamed = tool.pipeline is None and not tool.template_hints
        if tool.kind == "subtask" and is_unnamed and not tool.stand_in:
            yield error(
                "subtask-unnamed",
                f"The tool {tool.name!r} does not say which pipeline does the subtask:"
                " name one, or give hints by which it is found.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].pipeline",
            )


def tool_setting_unused(draft: Draft) -> Iterator[Issue]:
    """Only a subtask has a pipeline."""
    for index, tool in draft.tools:
        if tool.kind == "subtask":
            continue
        given = [name for name in ("pipeline", "template_hints") if getattr(tool, name)]
        if given:
            yield warning(
                "tool-setting-unused",
                f"The tool {tool.name!r} says which pipeline does it, and is no subtask:"
                " make it one, or take that away.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].{given[0]}",
            )


def _define_tool(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    *_, agent, _, place = path_steps(issue.where.path)
    name = definition.agents[int(agent)].tools[int(place)]
    return Fix("Define tool", (("append", "$.tools", {"name": name}),))


HELP: Mapping[str, RuleHelp] = {
    "tool-duplicate": RuleHelp(
        "Two tools with one name",
        "A model calls a tool by its name, and has to know which one answers.",
        "Give each tool a name of its own.",
        sketch("intake", tools=[{"name": "look_up"}, {"name": "look_up"}]),
    ),
    "tool-schema-invalid": RuleHelp(
        "Arguments that no schema describes",
        "A model is told the arguments of a tool by this JSON Schema. Vendors refuse a wrong one,"
        " and every turn that offers the tool with it.",
        "Correct the schema at the place that the sentence names: it describes an object, whose"
        " properties are the arguments.",
        sketch(
            "intake",
            tools=[{"name": "refund", "parameters": {"properties": SCHEMA["properties"]}}],
        ),
        describe_object,
    ),
    "tool-unknown": RuleHelp(
        "A tool that is not defined",
        "The agent may call a tool that this pipeline does not describe: the model would not know"
        " what it does or takes.",
        "Define the tool, or take it from the agent.",
        sketch("intake", agents={"agent-intake": {"tools": ["look_up"]}}),
        _define_tool,
    ),
    "tool-name-clash": RuleHelp(
        "A tool called like the handoff",
        "The model would have two tools of one name: its own, and the one by which it passes the"
        " conversation on.",
        "Rename the tool, or name the handoff's tool otherwise in the pipeline's settings.",
        sketch(
            "intake > review",
            agents={"agent-intake": {"tools": ["handoff_conversation"]}},
            tools=[{"name": "handoff_conversation"}],
        ),
        removing("Take the tool from the agent"),
    ),
    "handoff-name-clash": RuleHelp(
        "Two handoffs with one name",
        "Two ways on from a stage have tools of the same name, so that a call says nothing about"
        " where it leads.",
        "Give one of them another tool name, or none: then it gets one from its target.",
        sketch(
            "intake > review, intake ~ reply",
            transitions=[
                *one_transition(input_schema=SCHEMA, tool_name="pass_on"),
                *one_transition("return", target="reply", input_schema=SCHEMA, tool_name="pass_on"),
            ],
        ),
        setting("Use the usual name", None),
    ),
    "subtask-unnamed": RuleHelp(
        "A subtask for no pipeline",
        "A subtask is done by another pipeline. Neither its name nor a hint says which.",
        "Name the pipeline, or give words by which it is found.",
        sketch("intake", tools=[{"name": "check", "kind": "subtask"}]),
    ),
    "tool-setting-unused": RuleHelp(
        "A pipeline for a tool that is no subtask",
        "Only a subtask is done by another pipeline; here the name is ignored.",
        "Make the tool a subtask, or take the name away.",
        sketch("intake", tools=[{"name": "check", "pipeline": "Checks"}]),
        removing("Take it away"),
    ),
}
"""Help of the rules, by the code of the issue."""
