"""Support of every feature of a definition in RoomKit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from orchestration.definition import PipelineDefinition
from orchestration.interchange.features import pair
from orchestration.interchange.formats import NATIVE, NEVER_CALLED, NO_EFFECT, UNUSED
from orchestration.interchange.results import Support, left_out
from orchestration.interchange.roomkit.schemas import is_portable
from orchestration.interchange.roomkit.stages import ALL_MESSAGES, room_stages

_FAILS = Support("code", "function that raises", "A call fails until it is written.", differs=True)
_SCHEMA = left_out("The agent answers in free text: RoomKit wants all properties required.")
_WINDOW = Support(
    "code",
    "`SlidingWindowMemory`",
    "The agent sees only the last messages, at each turn.",
    differs=True,
)

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": NATIVE,
    "stage": NATIVE,
    "shared_agent": NATIVE,
    "entry": NATIVE,
    "default_agent": NATIVE,
    "transition": NATIVE,
    "kind": NATIVE,
    "description": left_out("The agent does not see the condition."),
    "typed": left_out("The agents hand over with a reason and a summary only."),
    "filter_no_tools": NATIVE,
    "filter_last": left_out("The target sees the whole conversation."),
    "filter_summary": left_out("The target sees the whole conversation."),
    "filter_cel": left_out("The target sees the whole conversation."),
    "rule": NATIVE,
    "rule_cel": Support(
        "comment",
        "`evaluate` in `route.py`, to be written",
        "The rule does not apply until its condition is written in Python.",
        differs=True,
    ),
    "limits": left_out("Nothing limits turns and handoffs."),
    "supervisor": Support(
        "native",
        "`supervisor_id`",
        "The supervisor answers the user like an agent, and has no actions.",
        differs=True,
    ),
    "group": Support(
        "comment", "a stage of the first member", "The other members do not answer.", differs=True
    ),
    "human": NATIVE,
    "workflow": Support(
        "comment",
        "`next`",
        "Each agent has to decide to hand over to the next stage.",
        differs=True,
    ),
    "team": Support(
        "comment", "handoffs", "A worker takes the conversation over and keeps it.", differs=True
    ),
    "swarm": Support(
        "comment", "`can_return_to`", "A loop of handoffs does not end the run.", differs=True
    ),
    "function_tool": _FAILS,
    "http_tool": Support("code", "`http_calls.py`"),
    "mcp_tool": Support(
        "code", "function that raises", "Connect the server with `MCPToolProvider`.", differs=True
    ),
    "subtask": _FAILS,
    "user_input": _FAILS,
    "approval": left_out("Calls run without a person."),
    "tool_limits": left_out("Calls have the limits of RoomKit."),
    "model_settings": Support(
        "code",
        "parameters of `Agent`",
        "The factory of providers chooses the server, and the tool choice is left out.",
        differs=True,
    ),
    "response_schema": Support("code", "`response_schema`"),
    "prompt": left_out("The agents get their own instructions, and the texts of RoomKit."),
    "language": Support("code", "`language`"),
    "reserve": left_out("A failed call of the model fails the turn."),
    "variables": left_out("The agents see the names of variables in place of their values."),
    "aliases": NATIVE,
    "on_handoff": left_out("RoomKit decides when the target answers."),
    "handoff_tool": left_out("The tool is `handoff_conversation`.", differs=False),
    "call_human": left_out("An agent hands over to the stages of the pipeline only."),
    **UNUSED,
}


def exceptions(definition: PipelineDefinition) -> dict[tuple[str, str], Support]:
    """Return the parts with another support than declared."""
    stages = room_stages(definition)
    served = {each["phase"]: each["agent_id"] for each in stages.values}
    found: dict[tuple[str, str], Support] = {}
    for each in definition.transitions:
        place = pair(each)
        if (each.source, each.target) not in stages.written:
            found["transition", place] = found["kind", place] = NO_EFFECT
            found["description", place] = NO_EFFECT
        elif stages.window_of(served[each.target]) < ALL_MESSAGES:
            found["filter_last", place] = found["filter_summary", place] = _WINDOW
    for stage in definition.stages_by_phase.values():
        if stage.phase not in served:
            kind = "stage" if stage.kind == "agent" else stage.kind
            found[kind, stage.phase] = left_out("The stage has no existing agent.")
    if definition.entry is not None and definition.entry not in served:
        found["entry", definition.entry] = left_out("The conversation begins with another stage.")
    named = [
        ("default_agent", definition.default_agent_id),
        ("supervisor", definition.supervisor_id),
    ]
    named += [
        ("rule", each.id)
        for each in definition.rules
        if each.agent_id not in definition.agents_by_id
    ]
    for agent in definition.agents:
        if not is_portable(agent.response_schema):
            found["response_schema", agent.id] = _SCHEMA
    if definition.supervisor_id is not None and stages.supervisor is None:
        found["supervisor", definition.supervisor_id] = NEVER_CALLED
    return found | {
        (key, name): left_out("The agent does not exist.")
        for key, name in named
        if name is not None and (key == "rule" or name not in definition.agents_by_id)
    }
