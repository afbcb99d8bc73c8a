"""Support of every feature of a definition in docker-agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from orchestration.definition import Agent, PipelineDefinition, Tool
from orchestration.interchange.docker_agent.entries import Entries, entries_of, targets_text
from orchestration.interchange.docker_agent.toolsets import (
    has_own_host,
    is_kept,
    is_plain_call,
    permission_name,
)
from orchestration.interchange.docker_agent.writing import last_messages, schema_fits
from orchestration.interchange.features import pair
from orchestration.interchange.formats import NATIVE, NO_EFFECT, UNUSED
from orchestration.interchange.results import Support, left_out

Special = tuple[tuple[str, str], Support]

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": NATIVE,
    "stage": NATIVE,
    "shared_agent": Support("metadata", "an agent for each stage, with its id in the description"),
    "entry": NATIVE,
    "default_agent": left_out("A message that no rule routes goes to the entry."),
    "transition": NATIVE,
    "kind": Support("metadata", "the list of targets in the instructions"),
    "description": Support("comment", "the list of targets in the instructions"),
    "typed": left_out("The agents hand over without the values of the payload."),
    "filter_no_tools": left_out("The target sees the tool calls, too."),
    "filter_last": left_out("The target sees the whole conversation."),
    "filter_summary": left_out("The target sees the whole conversation."),
    "filter_cel": left_out("The target sees the whole conversation."),
    "rule": left_out("Every conversation begins with the entry."),
    "rule_cel": left_out("Every conversation begins with the entry."),
    "limits": Support(
        "comment",
        "`max_iterations` of `root`",
        "Only turns are limited, and they are counted for each message of the user.",
        differs=True,
    ),
    "supervisor": Support(
        "comment", "an agent without a handoff to it", "Nobody supervises.", differs=True
    ),
    "group": Support(
        "comment",
        "an agent with `sub_agents`",
        "Another agent asks the members one after the other and joins their answers.",
        differs=True,
    ),
    "human": Support(
        "comment",
        "an agent that announces a person",
        "An agent answers in place of the person.",
        differs=True,
    ),
    "workflow": Support(
        "metadata",
        "handoffs in the instructions",
        "Each agent has to decide to hand over to the next stage.",
        differs=True,
    ),
    "team": NATIVE,
    "swarm": Support(
        "metadata", "`metadata.readme`", "A loop of handoffs does not end the run.", differs=True
    ),
    "function_tool": Support(
        "code",
        "`script` with a command that fails",
        "A call fails until the command is replaced.",
        differs=True,
    ),
    "http_tool": NATIVE,
    "mcp_tool": Support(
        "code",
        "`mcp` with a placeholder address",
        "The address of the server has to be replaced.",
        differs=True,
    ),
    "subtask": Support(
        "code",
        "`script` with a command that fails",
        "A call fails until the command starts the other pipeline, whose name is left out.",
        differs=True,
    ),
    "user_input": Support("comment", "`user_prompt`", "The agent chooses its own question."),
    "approval": NATIVE,
    "tool_limits": left_out("Calls have the limits of docker-agent."),
    "model_settings": NATIVE,
    "response_schema": NATIVE,
    "prompt": Support(
        "metadata",
        "added by Baton at an import",
        "The agents get their own instructions, the list of targets, and the texts of "
        "docker-agent.",
        differs=True,
    ),
    "language": Support("comment", "a sentence of the instructions"),
    "reserve": NATIVE,
    "variables": left_out("The agents see the names of variables in place of their values."),
    "aliases": left_out("An agent finds a target only by its name in the file.", differs=False),
    "on_handoff": left_out("The target answers at once."),
    "handoff_tool": left_out("The tool has the name of docker-agent.", differs=False),
    "call_human": left_out("An agent can hand over to stages of the file only."),
    **UNUSED,
}


def exceptions(definition: PipelineDefinition) -> dict[tuple[str, str], Support]:
    """Return the parts with another support than declared."""
    entries = entries_of(definition)
    found: dict[tuple[str, str], Support] = {}
    found.update(_transitions(definition, entries))
    for agent in definition.agents:
        found.update(_agent(definition, agent))
    used = {name for agent in definition.agents for name in agent.tools}
    shared = Counter(permission_name(each) for each in definition.tools if each.name in used)
    for tool in definition.tools:
        found.update(_tool(tool) if tool.name in used else _unused(tool))
        if tool.approval and shared[permission_name(tool)] > 1:
            found["approval", tool.name] = _ALL
    for name in {each for stage in definition.stages for each in stage.agent_ids}:
        if name not in definition.agents_by_id:
            found["shared_agent", name] = left_out("The agent does not exist.")
    if definition.entry is not None and definition.entry not in definition.stages_by_phase:
        found["entry", definition.entry] = left_out("The conversation begins with another stage.")
    return found


def _transitions(definition: PipelineDefinition, entries: Entries) -> Iterator[Special]:
    written = {pair(each) for outgoing in entries.outgoing.values() for each in outgoing}
    listed = {
        entry.stage.phase
        for entry in entries.all
        if entry.stage is not None and targets_text(definition, entry, entries)
    }
    last = last_messages(entries)
    for each in definition.transitions:
        place = pair(each)
        if place not in written:
            for key in ("transition", "kind", "description"):
                yield (key, place), NO_EFFECT
        elif each.source not in listed:
            yield ("kind", place), _ORDER
            yield ("description", place), left_out("The agent does not see the condition.")
        if place in written and each.target in last:
            yield ("filter_last", place), _LAST


_ORDER = Support("comment", "order of `handoffs`", "The agent does not know its `next`.")
_LAST = Support(
    "comment",
    "`num_history_items` of the target",
    "The target sees only the last messages, at each turn.",
    differs=True,
)

_UNUSED_MODEL = Support(
    "comment", "without the fallback's model", "It has no effect without a fallback provider."
)


def _agent(definition: PipelineDefinition, agent: Agent) -> Iterator[Special]:
    if any(name not in definition.tools_by_name for name in agent.tools):
        yield (
            ("agent", agent.id),
            Support("comment", "without tools that do not exist", "The other tools are kept."),
        )
    if agent.tool_choice != "auto":
        yield (
            ("model_settings", agent.id),
            Support(
                "comment", "without the tool choice", "The model may call tools.", differs=True
            ),
        )
    if agent.response_schema is not None and not schema_fits(agent.response_schema):
        yield ("response_schema", agent.id), left_out("The agent answers in free text.")
    if agent.retry_shown or agent.time_limit is not None:
        yield (
            ("reserve", agent.id),
            Support(
                "comment",
                "`fallback` without a time limit",
                "A turn has no time limit.",
                differs=True,
            ),
        )
    elif agent.has_unused_fallback_model:
        yield ("reserve", agent.id), _UNUSED_MODEL


def _tool(tool: Tool) -> Iterator[Special]:
    if tool.kind == "http" and not has_own_host(tool):
        yield ("http_tool", tool.name), _HOST
    elif tool.kind == "http" and not is_plain_call(tool):
        yield ("http_tool", tool.name), _CALL
    elif tool.kind == "http" and not is_kept(tool):
        yield ("http_tool", tool.name), _ARGUMENTS


_ALL = Support(
    "comment",
    "`permissions.ask` for all tools with this name",
    "Calls of another tool with the same name wait for approval, too.",
    differs=True,
)
_HOST = Support(
    "code",
    "`api` with a placeholder address",
    "The address of the connection has to be replaced.",
    differs=True,
)
_CALL = Support(
    "comment",
    "`api` without templates",
    "The request has no body of its own, and the whole answer is returned.",
    differs=True,
)
_ARGUMENTS = Support(
    "comment", "`api` with simple arguments", "The model sees a simpler schema.", differs=True
)


def _unused(tool: Tool) -> Iterator[Special]:
    kinds = {"function": "function_tool", "http": "http_tool", "mcp": "mcp_tool"}
    for key in (kinds.get(tool.kind, tool.kind), "approval"):
        yield (key, tool.name), NO_EFFECT
